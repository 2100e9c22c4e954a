//! What the page is given to draw: plain data, made from a world on demand, a few times a second for panels and once a
//! frame for tokens. The page holds no rule of a broker; whatever it shows is in here.

mod books;
mod inspect;
mod messages;
mod panels;
mod stage;

pub use books::{BookRow, BooksView};
pub use inspect::{InspectView, JourneyView, LineView, SettingView, StopView};
pub use messages::{MessageRow, MessagesView};
pub use panels::{
    AlertView, CureView, EffectView, FindingView, HealthView, PanelsView, SeriesView, SpanView, UsersView, VerdictView,
};
pub use stage::{
    BodyView, GatherView, GaugeView, HopView, Level, LinkView, OfferView, PartView, PartitionView, ProcessView, ReplicaView,
    StageView, TokenRef, TokenShape, UserLevel, WaitingToken,
};

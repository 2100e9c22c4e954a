//! A change of data and a message about it: in which order they are written, and what a death in between leaves.

/// How an application writes its row and its message.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Writing {
    /// Commit the row, then publish.
    RowThenMessage,
    /// Publish, then commit the row.
    MessageThenRow,
    /// Commit row and outbox row together; a relay publishes.
    Outbox,
    /// Publish; the application's own consumer writes the row. Until it has, nobody can read the row.
    ListenToYourself,
}

/// A step of it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Step {
    /// The row is committed.
    CommitRow,
    /// Row and outbox row are committed in one transaction.
    CommitBoth,
    /// The message is published by the process itself; if it dies before, nobody does.
    Publish,
    /// A relay publishes the outbox row, and goes on until it has.
    Relay,
    /// The consumer writes the row, and goes on until it has.
    Apply,
}

/// What goes wrong.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Trouble {
    /// Nothing.
    None,
    /// The process dies after so many steps. What relays and consumers do goes on after a restart.
    DiesAfter(usize),
    /// The database refuses the row: a constraint.
    RowRefused,
    /// The broker does not take the message at the time.
    BrokerDown,
}

/// What there is when everything that goes on by itself has gone on.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Written {
    /// The row.
    pub row: bool,
    /// The message.
    pub message: bool,
}

impl Writing {
    /// Its steps in order.
    #[must_use]
    pub fn steps(self) -> [Step; 2] {
        match self {
            Self::RowThenMessage => [Step::CommitRow, Step::Publish],
            Self::MessageThenRow => [Step::Publish, Step::CommitRow],
            Self::Outbox => [Step::CommitBoth, Step::Relay],
            Self::ListenToYourself => [Step::Publish, Step::Apply],
        }
    }

    /// What a trouble leaves.
    #[must_use]
    pub fn written(self, trouble: Trouble) -> Written {
        let mut written = Written::default();
        let mut outboxed = false;
        for (done, step) in self.steps().into_iter().enumerate() {
            let own = matches!(step, Step::CommitRow | Step::CommitBoth | Step::Publish);
            if own && matches!(trouble, Trouble::DiesAfter(steps) if steps <= done) {
                break;
            }
            let refused = trouble == Trouble::RowRefused;
            match step {
                Step::CommitRow if refused => break,
                Step::CommitBoth if refused => break,
                // The consumer cannot write it either, however often it tries.
                Step::Apply => written.row = written.message && !refused,
                Step::CommitRow => written.row = true,
                Step::CommitBoth => (written.row, outboxed) = (true, true),
                Step::Publish if trouble == Trouble::BrokerDown => break,
                Step::Publish => written.message = true,
                Step::Relay => written.message = outboxed,
            }
        }
        written
    }
}

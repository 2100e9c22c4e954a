//! What a person does with the published page, and what they find.

mod first_screen;

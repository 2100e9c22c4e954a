//! What a person does with the published page, and what they find.

mod address;
mod bad_input;
mod brokers;
mod compare;
mod exact_runs;
mod failures;
mod first_screen;
mod keys;
mod messages;
mod order_shop;
mod sizes;
mod trials;
mod views;

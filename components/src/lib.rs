//! Redrive's page: a lab for message queues, logs and outboxes. It reads views of a run and sends commands; no rule of a
//! broker lives here.

mod a11y;
pub mod api;
mod app;
mod brokers;
mod compare;
mod dom;
mod explore;
mod focus;
mod footer;
mod frame;
mod header;
mod inspector;
mod keyboard;
mod lab;
mod messages;
mod page;
mod panels;
mod panic;
mod picker;
mod player;
mod route;
mod share;
mod stage;
pub mod start;
mod state;
mod store;
mod topbar;
mod track;
mod transport;
mod trouble;
mod ui;
mod versus;

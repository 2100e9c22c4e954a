//! Redrive's page.

pub mod app;

//! What is made from the trace: books, ledger, findings, words and the report. Nothing here changes a run.

pub mod account;
pub mod accounts;
pub mod books;
pub mod findings;
pub mod health;
pub mod histogram;
pub mod hops;
pub mod ledger;
pub mod lists;
pub mod observer;
pub mod record;
pub mod report;
pub mod words;

//! The page's side of a worker: starts it, hears it, ends it.

use js_sys::{Array, Float64Array};
use leptos::prelude::document;
use wasm_bindgen::closure::Closure;
use wasm_bindgen::{JsCast, JsValue};
use web_sys::{Event, HtmlLinkElement, MessageEvent, Worker, WorkerOptions, WorkerType};

use super::job::Job;

/// The worker's script, beside the page.
const SCRIPT: &str = "./worker.js";

/// A worker that is doing a job. Dropped, it stops.
pub struct Remote {
    worker: Worker,
    /// They live as long as the worker.
    _heard: Closure<dyn FnMut(MessageEvent)>,
    _failed: Closure<dyn FnMut(Event)>,
}

impl Remote {
    /// Starts a worker on a job. `hear` gets what it tells: JSON and numbers, or why it could not go on.
    ///
    /// # Errors
    /// What the browser has against it.
    pub fn start(job: &Job, hear: impl Fn(Result<(String, Vec<f64>), String>) + Clone + 'static) -> Result<Self, JsValue> {
        let options = WorkerOptions::new();
        options.set_type(WorkerType::Module);
        let worker = Worker::new_with_options(SCRIPT, &options)?;
        let told = hear.clone();
        let heard = Closure::<dyn FnMut(MessageEvent)>::new(move |event: MessageEvent| {
            let told_of = Array::from(&event.data());
            let text = told_of.get(0).as_string().unwrap_or_default();
            let second = told_of.get(1);
            if text.is_empty() {
                told(Err(second.as_string().unwrap_or_default()));
            } else {
                told(Ok((text, second.dyn_into::<Float64Array>().map(|numbers| numbers.to_vec()).unwrap_or_default())));
            }
        });
        let failed = Closure::<dyn FnMut(Event)>::new(move |_| {
            hear(Err("The file worker.js did not arrive: it is served beside this page, check that it was copied.".into()));
        });
        worker.set_onmessage(Some(heard.as_ref().unchecked_ref()));
        worker.set_onerror(Some(failed.as_ref().unchecked_ref()));
        // The script that started the lab, as the build has put it into the page.
        let script = document()
            .query_selector("link[rel=modulepreload]")?
            .and_then(|link| link.dyn_into::<HtmlLinkElement>().ok())
            .map(|link| link.href())
            .unwrap_or_default();
        let letter = Array::of3(&script.into(), &wasm_bindgen::module(), &job.print().into());
        worker.post_message(&letter)?;
        Ok(Self { worker, _heard: heard, _failed: failed })
    }
}

impl Drop for Remote {
    fn drop(&mut self) {
        self.worker.terminate();
    }
}

// The lab's engine a second time, beside the page: plays what takes many runs, so that the page need not wait for it.
// The page sends the script, the WebAssembly that it has compiled already, and the job; it stops a job by ending this worker.
self.onmessage = async ({ data: [script, module, job] }) => {
  try {
    const lab = await import(script);
    await lab.default({ module_or_path: module });
    await lab.rest?.();
    lab.work(job, (text, numbers) => self.postMessage([text, numbers]));
  } catch (error) {
    self.postMessage(["", String(error?.message ?? error)]);
  }
};

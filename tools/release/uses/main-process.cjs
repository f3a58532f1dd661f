// The main process of an Electron client: CommonJS, Electron's fields on `process`, and a worker thread.
const assert = require('node:assert/strict');
const { mkdtempSync } = require('node:fs');
const { join } = require('node:path');
const { Worker } = require('node:worker_threads');

process.type = 'browser';
process.resourcesPath = __dirname;

const { openRuntime, RuntimeError } = require('@svc/runtime');
const { createPageServer } = require('@svc/runtime/page-server');
const { toOpenAiTools } = require('@svc/runtime/models');

const IN_THREAD = `
const { parentPort, workerData } = require('node:worker_threads');
const { openRuntime } = require('@svc/runtime');
(async () => {
  const runtime = await openRuntime({ ...workerData, ask: async () => ({ accepted: false }), onFault() {} });
  parentPort.postMessage(runtime.modelTools({ project: 'p' }).length);
  await runtime.close();
})();
`;

(async () => {
  const folder = mkdtempSync(join(process.env.HOME, 'main-process-'));
  const options = { folder, store: 'http://localhost:9' };
  const page = createPageServer();
  const runtime = await openRuntime({ ...options, ask: page.ask, onFault() {} });
  page.attach(runtime);
  assert.deepEqual(toOpenAiTools(runtime.modelTools({ project: 'p' })), []);
  await assert.rejects(runtime.installer.prepareInstall('com.example.notes'), RuntimeError);
  // The same folder in a thread, while the main process has it open.
  const thread = new Worker(IN_THREAD, { eval: true, workerData: options });
  const tools = await new Promise((resolve, reject) => {
    thread.once('message', resolve);
    thread.once('error', reject);
  });
  assert.equal(tools, 0);
  await page.close();
  await runtime.close();
})();

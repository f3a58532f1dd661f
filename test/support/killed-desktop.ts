// A desktop in a process of its own, which is killed at a step: `node killed-desktop.ts '{"folder": …, "store": …, "port": …, "ca": …, "killAt": …}'`.
// It prints the links that a browser should open. The line `begin` on its input starts the count of steps, `end` prints it.

import { createInterface } from 'node:readline';
import { killAtStep } from '../../packages/runtime/test/support/kill-at-step.ts';

const { folder, store, port, ca, killAt } = JSON.parse(process.argv[2] ?? '');
const steps = killAtStep(killAt);
const { defaultSystem } = await import('@svc/runtime');
const { openDesktop } = await import('../../apps/desktop/src/open-desktop.ts');

const opened = await openDesktop({
  ...{ folder, store, port: 0, pageFolder: `${folder}/no-page`, builtIn: [] },
  // Skips the interval of one second between two requests to the store's relay.
  system: { ...defaultSystem, sleep: (ms, signal) => defaultSystem.sleep(ms === 1000 ? 5 : ms, signal) },
  client: { name: 'svc desktop', version: '1.0.0', platform: 'linux', arch: 'x64' },
  keys: [{ kind: 'key-file', file: `${folder}/vault.key` }],
  connecting: {
    lookUp: async () => [{ address: '127.0.0.1', family: 4 }],
    isPublic: () => true,
    port,
    ca,
  },
  openPage: async (address) => process.stdout.write(`Browser: ${address}\n`),
  onFault: (error) => process.stderr.write(`${String(error)}\n`),
});
process.stdout.write(`Desktop: ${opened.newLink()}\n`);
createInterface({ input: process.stdin }).on('line', (line) => {
  if (line === 'begin') steps.begin();
  process.stdout.write(line === 'begin' ? 'Steps: begin\n' : `Steps taken: ${steps.end()}\n`);
});

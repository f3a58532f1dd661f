// A desktop in a process of its own, to be killed: `node killed-desktop.ts FOLDER [PAGE]`. Without the folder of a page, its app answers a call
// with the text `quick`, and no other.
// It prints the link of its page, and a line when a call reaches the app.

import { createMediaApp, defaultSystem } from '@svc/runtime';
import { openDesktop } from '../../src/open-desktop.ts';

const [folder = '', pageFolder] = process.argv.slice(2);
const made = createMediaApp(defaultSystem);
const tool = { id: 'send', name: 'Send', description: 'Sends it.', files: {} };
const manifest = { ...made.app.manifest, id: 'notes', name: 'notes', contributes: { tools: [tool] } };

const opened = await openDesktop({
  ...{ folder, system: defaultSystem, store: 'http://127.0.0.1:1', port: 0 },
  pageFolder: pageFolder ?? `${folder}/no-page`,
  client: { name: 'svc desktop', version: '1.0.0', platform: 'linux', arch: 'x64' },
  keys: [{ kind: 'key-file', file: `${folder}/vault.key` }],
  builtIn: [
    {
      ...made,
      app: { ...made.app, appId: 'notes', manifest },
      tools: [{ name: 'send', inputSchema: { type: 'object', properties: { text: { type: 'string' } } } }],
      async call(_name, args) {
        process.stdout.write('called\n');
        if (args.text !== 'quick' && pageFolder === undefined) await new Promise(() => undefined);
        return { content: [{ type: 'text', text: 'sent' }] };
      },
    },
  ],
  openPage: async () => false,
  onFault: (error) => process.stderr.write(`${String(error)}\n`),
});
process.stdout.write(`Desktop: ${opened.newLink()}\n`);

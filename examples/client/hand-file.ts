import { readFile } from 'node:fs/promises';
import { basename } from 'node:path';
import { type Ask, openRuntime } from '@svc/runtime';

const { SVC_STORE: store = 'http://localhost:8787', SVC_FOLDER: folder = './client' } = process.env;
const [path = 'picture.png'] = process.argv.slice(2);

const ask: Ask = async (card) => ({ accepted: true, binding: card.binding }); // your client asks the user here
const runtime = await openRuntime({ folder, store, ask, localApps: true });
const sheet = await runtime.installer.prepareInstall('com.example.pinboard');
const { appId } = await runtime.installer.install(sheet, { accepted: true, binding: sheet.binding });
const picture = { name: basename(path), bytes: await readFile(path) }; // its type is found in the bytes
const { parts } = await runtime.call(appId, {
  tool: 'pin_pictures',
  arguments: { text: 'From a file' },
  files: { pictures: [picture] }, // by the name of the argument; the approval card shows each file
  ...{ project: 'project-1', chat: 'chat-1' },
});
process.stdout.write(`${JSON.stringify(parts)}\n`);
await runtime.close();

import { openRuntime } from '@svc/runtime';
import { postgresStorage } from '@svc/runtime/postgres';

const { SVC_STORE: store = 'http://localhost:8787', BOT_DATABASE = 'postgres://localhost/bots' } =
  process.env;

/** A bot: all that are opened with the same database and passphrase share apps, accounts and files. */
const openBot = (folder: string) =>
  openRuntime({
    ...{ folder, store, localApps: true },
    storage: postgresStorage({ connectionString: BOT_DATABASE }),
    keys: [{ kind: 'passphrase', ask: async () => process.env.BOT_PASSPHRASE ?? 'choose a long one' }],
    ask: async (card) => ({ accepted: true, binding: card.binding }), // your client asks the user here
  });

const [first, second] = [await openBot('./bot-1'), await openBot('./bot-2')]; // usually on two machines
const sheet = await first.installer.prepareInstall('com.example.pinboard');
const { appId } = await first.installer.install(sheet, { accepted: true, binding: sheet.binding });
const { parts } = await second.call(appId, {
  ...{ tool: 'pin_note', arguments: { text: 'From the second bot' } },
  ...{ project: 'project-1', chat: 'chat-1' },
});
process.stdout.write(`${JSON.stringify(parts)}\n`);
await first.close();
await second.close();

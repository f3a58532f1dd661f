import { text } from 'node:stream/consumers';
import { Entry } from '@napi-rs/keyring';

/** What the secrets of this program are filed under. */
const SERVICE = 'svc';

// One deed and the account as arguments; a secret comes on standard input and goes to standard output.
const [operation, account = ''] = process.argv.slice(2);

// On Linux the library would fall back to the kernel's keyring, which forgets with the next start of the machine.
const entry = new Entry(SERVICE, account, { linux: { store: 'secret-service' } });

if (operation === 'get') process.stdout.write(entry.getPassword() ?? '');
else if (operation === 'set') entry.setPassword(await text(process.stdin));
else if (operation === 'delete') entry.deleteCredential();
else process.exitCode = 2;

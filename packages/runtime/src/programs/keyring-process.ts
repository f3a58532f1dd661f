import { text } from 'node:stream/consumers';
import { Entry } from '@napi-rs/keyring';

/** The service name of the secrets. */
const SERVICE = 'svc';

// Arguments: the operation and the account. The secret is read from standard input or written to standard output.
const [operation, account = ''] = process.argv.slice(2);

// On Linux the library would fall back to the kernel keyring, which is lost on reboot.
const entry = new Entry(SERVICE, account, { linux: { store: 'secret-service' } });

if (operation === 'get') process.stdout.write(entry.getPassword() ?? '');
else if (operation === 'set') entry.setPassword(await text(process.stdin));
else if (operation === 'delete') entry.deleteCredential();
else process.exitCode = 2;

import { createHash, generateKeyPairSync, randomBytes, sign } from 'node:crypto';
import { BASE_URL } from './test-store.ts';

const sha256 = (data: string | Uint8Array) => createHash('sha256').update(data).digest();
const base64url = (data: Uint8Array | string) => Buffer.from(data).toString('base64url');

/** Flags of authenticator data (WebAuthn section 6.1). */
const PRESENT = 0x01;
const VERIFIED = 0x04;
const HAS_CREDENTIAL = 0x40;

/** Fields that an attacker may falsify. */
export type Forgery = {
  origin?: string;
  host?: string;
  isVerified?: boolean;
  type?: string;
  challenge?: string;
  userHandle?: string;
  counter?: number;
};

/** The subset of CBOR (RFC 8949) that an attestation needs: text and bytes under 256, small integers, maps. */
const head = (major: number, length: number): Buffer =>
  length < 24 ? Buffer.from([(major << 5) | length]) : Buffer.from([(major << 5) | 24, length]);
const cborBytes = (bytes: Uint8Array) => Buffer.concat([head(2, bytes.length), bytes]);
const cborText = (text: string) => Buffer.concat([head(3, text.length), Buffer.from(text)]);
const cborInt = (value: number) => (value < 0 ? head(1, -value - 1) : head(0, value));
const cborMap = (entries: [Buffer, Buffer][]) => Buffer.concat([head(5, entries.length), ...entries.flat()]);

/** An authenticator with one passkey (ES256), controlled by a test. */
export function createAuthenticator() {
  const { publicKey, privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const { x = '', y = '' } = publicKey.export({ format: 'jwk' });
  const id = randomBytes(32);
  let counter = 0;
  let userHandle = '';
  const coseKey = cborMap([
    [cborInt(1), cborInt(2)],
    [cborInt(3), cborInt(-7)],
    [cborInt(-1), cborInt(1)],
    [cborInt(-2), cborBytes(Buffer.from(x, 'base64url'))],
    [cborInt(-3), cborBytes(Buffer.from(y, 'base64url'))],
  ]);

  function dataOf(flags: number, forgery: Forgery, rest: Uint8Array = Buffer.alloc(0)): Buffer {
    counter += 1;
    const count = Buffer.alloc(4);
    count.writeUInt32BE(forgery.counter ?? counter);
    const verified = forgery.isVerified === false ? 0 : VERIFIED;
    const host = forgery.host ?? new URL(BASE_URL).hostname;
    return Buffer.concat([sha256(host), Buffer.from([flags | PRESENT | verified]), count, rest]);
  }

  const clientData = (type: string, challenge: string, forgery: Forgery) =>
    Buffer.from(
      JSON.stringify({
        type: forgery.type ?? type,
        challenge: forgery.challenge ?? challenge,
        origin: forgery.origin ?? BASE_URL,
        crossOrigin: false,
      }),
    );

  const frame = { id: base64url(id), rawId: base64url(id), type: 'public-key', clientExtensionResults: {} };

  return {
    id: base64url(id),
    /** Creates the passkey, like `navigator.credentials.create`. */
    create(options: { challenge: string; user: { id: string } }, forgery: Forgery = {}) {
      userHandle = options.user.id;
      const length = Buffer.from([0, id.length]);
      const data = dataOf(HAS_CREDENTIAL, forgery, Buffer.concat([Buffer.alloc(16), length, id, coseKey]));
      const attestation = cborMap([
        [cborText('fmt'), cborText('none')],
        [cborText('attStmt'), cborMap([])],
        [cborText('authData'), cborBytes(data)],
      ]);
      const clientDataJSON = base64url(clientData('webauthn.create', options.challenge, forgery));
      const response = {
        clientDataJSON,
        attestationObject: base64url(attestation),
        transports: ['internal'],
      };
      return { ...frame, response };
    },
    /** Signs with the passkey, like `navigator.credentials.get`. */
    get(options: { challenge: string }, forgery: Forgery = {}) {
      const data = dataOf(0, forgery);
      const client = clientData('webauthn.get', options.challenge, forgery);
      const response = {
        clientDataJSON: base64url(client),
        authenticatorData: base64url(data),
        signature: base64url(sign('sha256', Buffer.concat([data, sha256(client)]), privateKey)),
        userHandle: forgery.userHandle ?? userHandle,
      };
      return { ...frame, response };
    },
  };
}

import { execFileSync } from 'node:child_process';
import { createServer, type Server } from 'node:net';
import { createServer as createTlsServer } from 'node:tls';
import type { AuditEntry } from '@svc/contracts';
import { serveHere } from '@svc/testkit/http-server';
import { describe, expect, it, onTestFinished } from 'vitest';
import { openAuditSink } from '../../../src/adapters/siem/send-entries.ts';
import { type AuditFormat, readAuditAddress } from '../../../src/core/audit/audit-sink.ts';

const entry = (id: number, changes: Partial<AuditEntry> = {}): AuditEntry => ({
  ...{ id, at: '2026-03-01T12:00:00.000Z', actor: 'person:anna', action: 'version.yank' },
  ...{ appId: 'com.example.notes', version: '1.0.0', publisher: null, tokenId: null },
  ...{ address: '192.0.2.1', requestId: 'r', detail: { reason: 'Größe \u2028 "x"\n' } },
  ...changes,
});

async function listening(server: Server): Promise<number> {
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  onTestFinished(() => void server.close());
  const address = server.address();
  return typeof address === 'object' && address ? address.port : 0;
}

const sinkAt = (text: string, format: AuditFormat = 'json') => {
  const address = readAuditAddress(text, () => true);
  if (!address) throw new Error(text);
  return openAuditSink({ address, token: 'a-token', format, store: 'apps.example', fetch });
};

/** The messages of a stream of octet-counted frames (RFC 6587 section 3.4.1). */
function messagesIn(stream: Buffer): string[] {
  const messages: string[] = [];
  for (let at = 0; at < stream.length; ) {
    const space = stream.indexOf(' ', at);
    const length = Number(stream.toString('latin1', at, space));
    messages.push(stream.toString('latin1', space + 1, space + 1 + length));
    at = space + 1 + length;
  }
  return messages;
}

/** Answers each connection with what it sends, once it ends. */
function collector() {
  const got: Buffer[] = [];
  return { got, take: (data: Buffer) => void got.push(data) };
}

describe('the Common Event Format', () => {
  it('has the fields of an entry, escaped, in one line of UTF-8 that is framed by its bytes', async () => {
    const { got, take } = collector();
    const port = await listening(createServer((socket) => void socket.on('data', take)));
    const hostile = entry(2, { actor: 'a=b|c\\d\nCEF:0|x', appId: null });
    await sinkAt(`syslog://127.0.0.1:${port}`, 'cef').send([entry(1), hostile]);
    const [first = '', second = ''] = messagesIn(Buffer.concat(got)).map((message) =>
      Buffer.from(message, 'latin1').toString(),
    );
    expect(first).toBe(
      '<109>1 2026-03-01T12:00:00.000Z apps.example svc-store - version.yank - ' +
        'CEF:0|svc|svc-store|1|version.yank|yanked a version|3|rt=1772366400000 externalId=1 dvchost=apps.example ' +
        'suser=person:anna src=192.0.2.1 cs1Label=app cs1=com.example.notes cs2Label=version cs2=1.0.0 ' +
        'cs5Label=request cs5=r cs6Label=detail cs6={"reason":"Größe \u2028 \\\\"x\\\\"\\\\n"}',
    );
    expect(second).toContain('suser=a\\=b|c\\\\d\\nCEF:0|x src=');
    expect(second).not.toMatch(/[\r\n]/);
  });
});

describe('syslog over TCP', () => {
  it('delivers framed RFC 5424 messages with one line of ASCII JSON each', async () => {
    const { got, take } = collector();
    const port = await listening(createServer((socket) => void socket.on('data', take)));
    await sinkAt(`syslog://127.0.0.1:${port}`).send([entry(1), entry(2)]);
    const messages = messagesIn(Buffer.concat(got));
    expect(messages).toHaveLength(2);
    const [, json = ''] =
      /^<109>1 2026-03-01T12:00:00\.000Z apps\.example svc-store - version\.yank - (\{[\x20-\x7e]+\})$/.exec(
        messages[0] ?? '',
      ) ?? [];
    expect(JSON.parse(json)).toEqual({ store: 'apps.example', ...entry(1) });
  });

  it('fails when the peer resets the connection, or nothing listens', async () => {
    const port = await listening(
      createServer((socket) => socket.once('data', () => socket.resetAndDestroy())),
    );
    await expect(sinkAt(`syslog://127.0.0.1:${port}`).send([entry(1)])).rejects.toThrow('did not take');
    await expect(sinkAt('syslog://127.0.0.1:1').send([entry(1)])).rejects.toThrow('did not take');
  });
});

describe('syslog over TLS', () => {
  it('sends nothing to a collector whose certificate no authority signed', async () => {
    const made = execFileSync(
      'openssl',
      'req -x509 -newkey rsa:2048 -nodes -days 1 -subj /CN=localhost -keyout - -out -'.split(' '),
      { encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] },
    );
    const { got, take } = collector();
    const server = createTlsServer({ key: made, cert: made }, (socket) => void socket.on('data', take));
    server.on('tlsClientError', () => {});
    const port = await listening(server);
    await expect(sinkAt(`syslogs://127.0.0.1:${port}`).send([entry(1)])).rejects.toThrow('did not take');
    expect(got).toEqual([]);
  });
});

describe('a collector over HTTP', () => {
  it('gets lines of JSON with the token, and may ask for a later time', async () => {
    const got: { authorization: string | undefined; body: string }[] = [];
    let status = 202;
    const url = await serveHere(() => async (request, response) => {
      let body = '';
      for await (const chunk of request) body += String(chunk);
      got.push({ authorization: request.headers.authorization, body });
      response.writeHead(status, { 'retry-after': '120' }).end('x'.repeat(100_000));
    });
    await sinkAt(`${url}/ingest`).send([entry(1), entry(2)]);
    expect(got[0]?.authorization).toBe('Bearer a-token');
    expect(
      got[0]?.body
        .split('\n')
        .slice(0, 2)
        .map((line) => JSON.parse(line).id),
    ).toEqual([1, 2]);
    status = 503;
    await expect(sinkAt(`${url}/ingest`).send([entry(3)])).rejects.toMatchObject({ retryAfter: 120 });
  });
});

describe('the address of a collector', () => {
  it.each([
    ['syslogs://siem.corp', { by: 'tls', host: 'siem.corp', port: 6514 }],
    ['syslog://[::1]:99', { by: 'tcp', host: '::1', port: 99 }],
    ['https://siem.corp/in?x=1', { by: 'http', host: 'siem.corp', port: 0, url: 'https://siem.corp/in?x=1' }],
    ['http://siem.corp/in', undefined],
    ['https://user:secret@siem.corp/', undefined],
    ['syslog://siem.corp/path', undefined],
    ['udp://siem.corp', undefined],
    ['siem.corp', undefined],
  ])('%s is %o', (text, expected) => {
    expect(readAuditAddress(text, () => false)).toEqual(expected);
  });
});

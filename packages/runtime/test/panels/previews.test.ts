import { createHash, randomBytes } from 'node:crypto';
import { expect, it } from 'vitest';
import { createPreviews } from '../../src/panels/previews.ts';

const CLIENT = 'http://localhost:4000';

const open = () =>
  createPreviews({
    ...{ system: { randomBytes }, clientOrigin: CLIENT },
    originOf: (name) => `http://${name}.localhost:5000`,
  });

const requested = (address: string, headers: Record<string, string> = { 'sec-fetch-dest': 'iframe' }) =>
  new Request(address, { headers });

it('serves a document to the frame of its client alone, on a site of its own', async () => {
  const previews = open();
  const [first, second] = ['<p>a', '<p>b'].map((html) => previews.open(html, 'Preview'));
  if (!first || !second) throw new Error('There are no previews.');
  expect(new URL(first.frame.address).origin).not.toBe(new URL(second.frame.address).origin);
  const response = previews.serve(requested(first.frame.address));
  expect(await response?.text()).toBe('<p>a');
  const policy = response?.headers.get('content-security-policy');
  expect(policy).toContain("default-src 'none'");
  expect(policy).toContain(`frame-ancestors ${CLIENT}`);
  expect(policy).toContain('sandbox allow-scripts;');
  expect(first.frame.sandbox).toBe('allow-scripts');
  const elsewhere = first.frame.address.replace(first.frame.origin, second.frame.origin);
  expect(previews.serve(requested(elsewhere))).toBeNull();
  for (const destination of ['document', 'script', 'empty', 'serviceworker'])
    expect(previews.serve(requested(first.frame.address, { 'sec-fetch-dest': destination }))).toBeNull();
  previews.close(first.id);
  expect(previews.serve(requested(first.frame.address))).toBeNull();
});

it('runs only the script of the client in a document that it draws', async () => {
  const previews = open();
  const { frame } = previews.open('<p>a</p><script>theirs()</script>', 'Preview', 'ours()');
  const response = previews.serve(requested(frame.address));
  expect(await response?.text()).toBe('<p>a</p><script>theirs()</script><script>ours()</script>');
  const hash = createHash('sha256').update('ours()').digest('base64');
  expect(response?.headers.get('content-security-policy')).toContain(`script-src 'sha256-${hash}';`);
});

it('keeps the newest sixteen, and refuses a document that is too long', () => {
  const previews = open();
  const made = Array.from({ length: 17 }, (_, n) => previews.open(String(n), 'Preview'));
  const served = made.filter(({ frame }) => previews.serve(requested(frame.address)) !== null);
  expect(served).toEqual(made.slice(1));
  expect(() => previews.open('x'.repeat(1024 * 1024 + 1), 'Preview')).toThrow(
    expect.objectContaining({ code: 'too-large' }),
  );
});

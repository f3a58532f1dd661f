import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { watchSites } from '../../src/composition/watched-services.ts';
import { createOutages } from '../../src/platform/outages.ts';
import { openIdProvider } from '../support/open-id.ts';
import { beginAt, openStoreAt } from '../support/store-with-providers.ts';
import { ADMIN_TOKEN, openTestStore, type TestStore } from '../support/test-store.ts';
import { healthOf, metric } from '../support/yanks.ts';

const serviceOf = async (store: TestStore, service: string) =>
  (await healthOf(store)).services.find(({ name }) => name === service);
const metricOf = (store: TestStore, part: string) => metric(store, `svc_part_ready{part="${part}"}`);

const ROOT = join(import.meta.dirname, '../../../..');

const openProvider = () => openIdProvider('acme', {});

describe('a sign-in provider that is down', () => {
  it('is named by each sign-in, and by one line of the log a minute', async () => {
    const provider = await openProvider();
    const store = await openStoreAt({}, provider.settings);
    provider.become('fails');
    for (let n = 0; n < 20; n += 1) {
      const { answer } = await beginAt(store, 'acme');
      expect(answer.status).toBe(503);
      expect(await answer.text()).toContain('The acme cannot be reached: try again in 10 seconds.');
    }
    const about = store.lines.filter((line) => line.includes('cannot be reached'));
    expect(about.length).toBeLessThanOrEqual(2);
    expect(about.join()).not.toContain('    at ');
  });

  it('does not keep users waiting for its timeout once it is known', async () => {
    const provider = await openProvider();
    const store = await openStoreAt({}, provider.settings);
    provider.become('fails');
    await store.checkServices();
    provider.become('hangs');
    const { answer } = await beginAt(store, 'acme');
    expect(await answer.text()).toContain('The acme cannot be reached: try again in 10 seconds.');
    expect(store.lines.join()).toContain('No answer within 2000 ms.');
  });
});

describe('other services that are down', () => {
  it('are named: the mail server, before any mail waits for it', async () => {
    const store = await openTestStore({
      environment: { SVC_SMTP_URL: 'smtp://127.0.0.1:9', SVC_MAIL_FROM: 'svc@example.com' },
    });
    await store.checkServices();
    expect(await serviceOf(store, 'mail server')).toMatchObject({ ok: false, failures: 1 });
    expect(await metricOf(store, 'mail server')).toMatch(/ 0$/);
    expect(store.lines.join()).toContain('The mail server cannot be reached.');
  });

  it('are named: websites and receivers, when none was reached three times in a row; a missing proof is an answer', async () => {
    let fault = 'There is no such name (NXDOMAIN)';
    const answer = async () => ({ fault });
    const log = { info() {}, warn() {}, error() {} };
    const outages = createOutages({ log, clock: () => new Date() });
    const given = { isPrivate: async () => false, txt: answer, file: answer, post: answer };
    const sites = watchSites(outages, given);
    const askAll = async () => {
      await sites.txt('example.com');
      await sites.file('example.com', '/');
      await sites.post('https://example.com/hook', {}, '');
    };
    const down = () => outages.list().flatMap(({ name, ok }) => (ok ? [] : [name]));
    for (let n = 0; n < 3; n += 1) await askAll();
    expect(down()).toEqual([]);
    fault = 'The name server did not answer in time';
    for (let n = 0; n < 3; n += 1) await askAll();
    expect(down()).toEqual(['websites of publishers', 'receivers of webhooks']);
  });
});

/** The rows of the table of outages in docs/monitoring.md, as the cells of each. */
async function rowsOfOutages(): Promise<string[][]> {
  const page = await readFile(join(ROOT, 'docs/monitoring.md'), 'utf8');
  const [, section = ''] = page.split('### How soon an outage shows');
  const [table = ''] = section.split('\n## ');
  return table
    .split('\n')
    .filter((line) => line.startsWith('| '))
    .map((line) => line.split(' | '));
}

describe('the table of outages', () => {
  it('has a row for every part that a store can report as down, and for every resource', async () => {
    const store = await openStoreAt(
      {
        SVC_SMTP_URL: 'smtp://127.0.0.1:9',
        SVC_MAIL_FROM: 'svc@example.com',
        SVC_AUDIT_TO: 'syslog://127.0.0.1:9',
      },
      (await openProvider()).settings,
    );
    const metrics = await (await store.call('GET', '/metrics', { token: ADMIN_TOKEN })).text();
    const parts = [...metrics.matchAll(/^svc_(?:part_ready|resource_used_ratio)\{part="([^"]+)"\}/gm)].map(
      ([, part = '']) => part.replace(/ acme$/, ''),
    );
    expect(parts).toEqual(expect.arrayContaining(['database', 'sign-in provider', 'memory']));
    expect(parts.length).toBeGreaterThanOrEqual(11);
    const rows = await rowsOfOutages();
    const documented = rows.map(([what = '']) => what).join('\n');
    // Upstreams report themselves once one is added.
    expect([...parts, 'upstream'].filter((part) => !documented.includes(`\`${part}\``))).toEqual([]);
  });

  it('names alerts that exist, and no row without a metric but what only a client sees', async () => {
    const alerts = await readFile(join(ROOT, 'deploy/monitoring/alerts.yaml'), 'utf8');
    const rows = (await rowsOfOutages()).slice(1);
    expect(rows.length).toBeGreaterThan(10);
    for (const cells of rows) {
      const alert = /`(Svc\w+)`/.exec(cells.at(-1) ?? '')?.[1];
      if (alert === undefined) expect(cells[0]).toContain('seen by its desktops');
      else expect(alerts).toContain(`alert: ${alert}\n`);
    }
  });
});

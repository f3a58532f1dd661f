import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { ROUTES } from '@svc/contracts';
import { Deployment } from 'kubernetes-models/apps/v1/Deployment';
import { Job } from 'kubernetes-models/batch/v1/Job';
import { PodDisruptionBudget } from 'kubernetes-models/policy/v1/PodDisruptionBudget';
import { Service } from 'kubernetes-models/v1/Service';
import { describe, expect, it } from 'vitest';
import { parse, parseAllDocuments } from 'yaml';
import { readSettings, SETTING_NAMES } from '../apps/store/src/composition/settings.ts';
import { gaugesText } from '../apps/store/src/core/operations/routes.ts';
import { createMetrics } from '../apps/store/src/platform/metrics.ts';

const textOf = (path: string): string => readFileSync(join(import.meta.dirname, '../deploy', path), 'utf8');

/** Maximum time of a graceful stop, in seconds. */
const STOP_SECONDS = 30;

type Probe = { httpGet: { path: string } };
type Container = {
  volumeMounts: { name: string; mountPath: string; readOnly?: boolean }[];
  env: { name: string; value: string }[];
  args?: string[];
  startupProbe?: Probe;
  readinessProbe?: Probe;
  livenessProbe?: Probe;
};
type Volume = { name: string; emptyDir?: object; secret?: { secretName: string; defaultMode?: number } };
type Manifest = {
  kind: string;
  spec: {
    template?: {
      spec: { terminationGracePeriodSeconds?: number; containers: Container[]; volumes: Volume[] };
    };
  };
};

/** The schemas of Kubernetes, by kind. */
const SCHEMAS = { Deployment, Job, PodDisruptionBudget, Service };

const manifests: Manifest[] = ['kubernetes/prepare.yaml', 'kubernetes/store.yaml'].flatMap((file) =>
  parseAllDocuments(textOf(file)).map((document) => document.toJS()),
);
const pods = manifests.flatMap(({ spec }) => (spec.template ? [spec.template.spec] : []));
const containers = pods.flatMap((pod) => pod.containers);

describe('the manifests for Kubernetes', () => {
  it.each(manifests.map((manifest) => [manifest.kind, manifest] as const))(
    '%s keeps to its schema',
    (kind, manifest) => {
      const Schema = SCHEMAS[kind as keyof typeof SCHEMAS];
      expect(() => new Schema(manifest as never).validate()).not.toThrow();
      // The schema is effective: it refuses a field of the wrong type.
      expect(() => new Schema({ ...manifest, spec: 'wrong' } as never).validate()).toThrow();
    },
  );

  it('use valid settings of the store', () => {
    expect(containers).toHaveLength(2);
    for (const { env } of containers) {
      const given = Object.fromEntries(env.map(({ name, value }) => [name, value]));
      expect(SETTING_NAMES).toEqual(expect.arrayContaining(Object.keys(given)));
      const { SVC_SETTINGS_FILE: file, ...others } = given;
      expect(file).toBe('/settings/settings.env');
      expect(readSettings(others).signingKeyFile).toBe('/keys/signing-key.pem');
    }
  });

  it('share no volume: settings and key are Secrets, which the docs create and pods only read', () => {
    const page = readFileSync(join(import.meta.dirname, '../docs/deployment.md'), 'utf8');
    for (const { volumes, containers } of pods) {
      const secrets = volumes.flatMap(({ secret }) => (secret ? [secret.secretName] : []));
      expect(secrets).toEqual(['svc-store-settings', 'svc-store-key']);
      for (const name of secrets) expect(page).toContain(`kubectl create secret generic ${name} --from-file`);
      for (const { name, secret, emptyDir } of volumes) {
        const [mount] = containers.flatMap(({ volumeMounts }) =>
          volumeMounts.filter((each) => each.name === name),
        );
        expect([name, mount?.readOnly === true, emptyDir === undefined]).toEqual([
          name,
          Boolean(secret),
          Boolean(secret),
        ]);
      }
      // The most that a store accepts of a key that it cannot change.
      expect(volumes.find(({ name }) => name === 'keys')?.secret?.defaultMode).toBe(0o440);
    }
  });

  it('use existing endpoints, and allow time for a graceful stop', () => {
    const paths = containers.flatMap(({ startupProbe, readinessProbe, livenessProbe }) =>
      [startupProbe, readinessProbe, livenessProbe].flatMap((probe) => (probe ? [probe.httpGet.path] : [])),
    );
    expect(paths).toEqual([ROUTES.ready.path, ROUTES.ready.path, ROUTES.health.path]);
    const store = pods.find((pod) => pod.containers.some(({ livenessProbe }) => livenessProbe));
    expect(store?.terminationGracePeriodSeconds).toBeGreaterThan(STOP_SECONDS);
  });
});

describe('the unit for systemd', () => {
  const lines = textOf('svc-store.service').split('\n');
  const values = (key: string) =>
    lines.flatMap((line) => (line.startsWith(`${key}=`) ? [line.slice(key.length + 1)] : []));

  it('consists of sections, settings and comments', () => {
    for (const line of lines) expect(line).toMatch(/^(?:#.*|\[(?:Unit|Service|Install)\]|[A-Z]\w+=.*|)$/);
  });

  it('uses valid settings of the store', () => {
    const names = values('Environment').flatMap((line) => line.split(' ').map((pair) => pair.split('=')[0]));
    expect(names.filter((name) => !name?.startsWith('NODE_'))).toEqual(['SVC_SETTINGS_FILE', 'SVC_DATA_DIR']);
    expect(SETTING_NAMES).toEqual(expect.arrayContaining(['SVC_SETTINGS_FILE', 'SVC_DATA_DIR']));
  });

  it('allows time for a graceful stop, and drops privileges', () => {
    expect(Number(values('TimeoutStopSec')[0])).toBeGreaterThan(STOP_SECONDS);
    for (const key of ['NoNewPrivileges', 'DynamicUser', 'ProtectHome', 'PrivateTmp', 'RestrictNamespaces'])
      expect([key, values(key)]).toEqual([key, ['yes']]);
    expect([values('ProtectSystem'), values('CapabilityBoundingSet')]).toEqual([['strict'], ['']]);
    // Node's JIT needs writable executable memory.
    expect(values('MemoryDenyWriteExecute')).toEqual([]);
  });
});

describe('dashboard and alert rules', () => {
  /** The metric names in an expression: names before a brace, a bracket or an operator that are not functions or labels. */
  const namesIn = (expression: string): string[] => expression.match(/\b(?:svc|process|nodejs)_\w+/g) ?? [];

  async function known(): Promise<string> {
    const metrics = createMetrics();
    metrics.request({ method: 'GET', route: '/', status: 200 }, 0.1);
    const backlog = { waiting: 0, overdue: 0, unassigned: 0, changesRequested: 0, locked: 0, oldestAt: null };
    const gauges = gaugesText(
      {
        probes: [{ name: 'database', ok: true }],
        services: [],
        resources: [{ name: 'heap', used: 1, limit: 2, since: null }],
        jobs: [],
        rollback: null,
        backup: { takenAt: '2026-01-01T00:00:00.000Z', checkedAt: '2026-01-01T00:00:00.000Z', fault: null },
      },
      {
        at: '2026-01-01T00:00:00.000Z',
        queue: backlog,
        versions: { submitted: 0, checking: 0, approved: 0, oldestAt: null, abandoned: 0 },
        mails: { waiting: 0, tried: 0, oldestAt: null, carried: true },
        revocations: null,
        log: { size: 0, waiting: 0, publishedAt: null, cosigned: 0, quorum: 0, fault: null },
      },
      '2026-01-01T00:00:00.000Z',
    );
    return (await metrics.read()).text + gauges;
  }

  type Rules = { groups: { rules: { alert: string; expr: string; annotations: { summary: string } }[] }[] };
  type Dashboard = { panels: { title: string; targets: { expr: string }[] }[] };
  const rules = (parse(textOf('monitoring/alerts.yaml')) as Rules).groups.flatMap((group) => group.rules);
  const { panels } = JSON.parse(textOf('monitoring/grafana.json')) as Dashboard;
  const expressions = [
    ...rules.map(({ expr }) => expr),
    ...panels.flatMap(({ targets }) => targets.map(({ expr }) => expr)),
  ];

  it('use only existing metrics', async () => {
    const text = await known();
    expect(expressions.length).toBeGreaterThan(10);
    for (const expression of expressions) {
      const names = namesIn(expression);
      if (!expression.startsWith('up{')) expect([expression, names.length > 0]).toEqual([expression, true]);
      for (const name of names) expect(text).toMatch(new RegExp(`^${name}(?:\\{| )`, 'm'));
    }
  });

  it('use existing routes', () => {
    const paths = Object.values(ROUTES).map(({ path }) => path as string);
    const named = expressions.flatMap((expression) =>
      Array.from(expression.matchAll(/route!?="([^"]+)"/g), ([, route = '']) => route),
    );
    expect(named.length).toBeGreaterThan(2);
    expect(paths).toEqual(expect.arrayContaining(named));
  });

  it('describe every alert', () => {
    for (const { alert, annotations } of rules) {
      expect(alert).toMatch(/^SvcStore[A-Z]\w+$/);
      expect(annotations.summary).toMatch(/^[A-Z].+\.$/);
    }
  });
});

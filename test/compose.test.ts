import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { ROUTES } from '@svc/contracts';
import { ValidationSeverity, validate } from 'dockerfile-utils';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { runCommand } from '../apps/store/src/composition/commands/run-command.ts';
import { readSettings, SETTING_NAMES } from '../apps/store/src/composition/settings.ts';

const ROOT = join(import.meta.dirname, '..');
const textOf = (path: string): string => readFileSync(join(ROOT, path), 'utf8');

type Service = {
  image: string;
  build?: string;
  command?: string[];
  environment?: Record<string, string>;
  depends_on?: Record<string, { condition: string }>;
  volumes?: string[];
  configs?: { source: string }[];
  stop_grace_period?: string;
  healthcheck?: { test: string[]; disable?: boolean };
  [field: string]: unknown;
};
type Compose = {
  services: Record<string, Service>;
  volumes: object;
  configs: object;
  networks: { default: { ipam: { config: { subnet: string }[] } } };
};

const compose: Compose = parse(textOf('compose.yaml'), { merge: true });
const services = Object.entries(compose.services);
/** The services that run our image. */
const ours = services.filter(([, { build }]) => build !== undefined);
const processes = ours.filter(([, { command }]) => command === undefined);

/** A filled-in `.env`. */
const ENV = Object.fromEntries(
  Array.from(textOf('.env.example').matchAll(/^(\w+)=(.*)$/gm), ([, name, value]) => [
    name as string,
    value || 'a-secret-0123456789',
  ]),
);

/** Substitutes variables, as compose does. */
const filledIn = (text: string): string =>
  text.replace(/\$\{(\w+)[^}]*\}/g, (_all, name: string) => {
    if (ENV[name] === undefined) throw new Error(`${name} is not in .env.example.`);
    return ENV[name];
  });

describe('compose.yaml', () => {
  it('uses valid settings of the store', () => {
    expect(processes.map(([name]) => name)).toEqual(['store-1', 'store-2']);
    for (const [, { environment = {} }] of ours) {
      expect(SETTING_NAMES).toEqual(expect.arrayContaining(Object.keys(environment)));
      const filled = Object.entries(environment).map(([name, value]) => [name, filledIn(value)]);
      const settings = readSettings(Object.fromEntries(filled));
      expect(settings.s3?.endpoint).toBe('http://s3:8333');
      expect(new URL(settings.databaseUrl ?? '').hostname).toBe('postgres');
      expect(settings.adminToken).toBe(ENV.SVC_ADMIN_TOKEN);
    }
  });

  it('trusts client addresses only from the network of the balancer', () => {
    for (const [, { environment }] of processes) {
      expect(environment?.SVC_TRUSTED_PROXIES).toBe(compose.networks.default.ipam.config[0]?.subnet);
    }
    const reachable = services.filter(([, { ports }]) => ports !== undefined);
    expect(reachable.map(([name]) => name)).toEqual(['balancer']);
  });

  it('requires all variables, and has no default secrets', () => {
    const text = textOf('compose.yaml');
    const used = new Set(Array.from(text.matchAll(/\$\{(\w+)/g), ([, name]) => name));
    expect([...used].sort()).toEqual(Object.keys(ENV).sort());
    for (const secret of ['SVC_ADMIN_TOKEN', 'POSTGRES_PASSWORD', 'AWS_SECRET_ACCESS_KEY']) {
      expect(textOf('.env.example')).toMatch(new RegExp(`^${secret}=$`, 'm'));
    }
    expect(textOf('.gitignore').split('\n')).toContain('.env');
  });

  it.each(services)('refers only to existing parts: %s', (_name, service) => {
    const waitsFor = Object.entries(service.depends_on ?? {});
    expect(Object.keys(compose.services)).toEqual(expect.arrayContaining(waitsFor.map(([name]) => name)));
    const healthy = waitsFor.filter(([, { condition }]) => condition === 'service_healthy');
    for (const [name] of healthy) expect(compose.services[name]?.healthcheck?.test).toBeDefined();
    const mounted = (service.volumes ?? []).map((volume) => volume.split(':')[0] as string);
    const [files, volumes] = [
      mounted.filter((from) => from.startsWith('.')),
      mounted.filter((from) => !from.startsWith('.')),
    ];
    expect(files.filter((file) => !existsSync(join(ROOT, file)))).toEqual([]);
    expect(Object.keys(compose.volumes)).toEqual(expect.arrayContaining(volumes));
    const configs = (service.configs ?? []).map(({ source }) => source);
    expect(Object.keys(compose.configs)).toEqual(expect.arrayContaining(configs));
  });

  it('gives the S3 server its keys as valid JSON', () => {
    const { content } = (compose.configs as { 's3-keys': { content: string } })['s3-keys'];
    expect(JSON.parse(filledIn(content))).toMatchObject({
      identities: [
        { credentials: [{ accessKey: ENV.AWS_ACCESS_KEY_ID, secretKey: ENV.AWS_SECRET_ACCESS_KEY }] },
      ],
    });
  });

  it('separates per-process volumes from shared ones', () => {
    const volumes = processes.map(([, service]) => service.volumes ?? []);
    const shared = volumes[0]?.filter((volume) => volumes.every((all) => all.includes(volume)));
    expect(shared).toEqual(['keys:/keys']);
    expect(compose.services.prepare?.volumes).toEqual(shared);
    for (const all of volumes) expect(all.filter((volume) => volume.endsWith(':/data'))).toHaveLength(1);
  });

  it('drops privileges, and allows time for a graceful stop', () => {
    for (const [, service] of ours) {
      expect(service).toMatchObject({ init: true, read_only: true, cap_drop: ['ALL'] });
      expect(service.security_opt).toEqual(['no-new-privileges:true']);
    }
    const deadline = Number(
      /DEADLINE_MS = ([\d_]+)/.exec(textOf('apps/store/src/composition/serve.ts'))?.[1]?.replace('_', ''),
    );
    for (const [, { stop_grace_period: grace = '' }] of processes) {
      expect(Number.parseInt(grace, 10) * 1000).toBeGreaterThan(deadline);
    }
  });

  it('uses the readiness endpoint and existing commands', async () => {
    for (const [, { healthcheck }] of processes) {
      expect(healthcheck?.test.join(' ')).toContain(`:8787${ROUTES.ready.path}'`);
    }
    const words = compose.services.prepare?.command ?? [];
    const stop = () => {
      throw new Error('as far as its settings');
    };
    await expect(runCommand(words, stop, {} as never)).rejects.toThrow('as far as its settings');
  });
});

describe('the balancer', () => {
  const caddyfile = textOf('deploy/Caddyfile');

  it('lists every process, and checks the readiness of each', () => {
    const upstreams = /reverse_proxy (.*) \{/.exec(caddyfile)?.[1]?.split(' ');
    expect(upstreams).toEqual(processes.map(([name]) => `${name}:8787`));
    expect(caddyfile).toContain(`health_uri ${ROUTES.ready.path}\n`);
  });

  it('detects a stopping process before it refuses connections', () => {
    const seconds = Number(/health_interval (\d+)s/.exec(caddyfile)?.[1]);
    const notice = Number(
      /NOTICE_MS = ([\d_]+)/.exec(textOf('apps/store/src/composition/serve.ts'))?.[1]?.replace('_', ''),
    );
    expect(seconds * 2_000).toBeLessThanOrEqual(notice);
  });
});

describe('the Dockerfile', () => {
  const [, last = ''] = textOf('Dockerfile').split(/\n(?=FROM (?!.* AS ))/);

  it('runs the store directly, as a non-root user', () => {
    expect(last).toMatch(/^USER node$/m);
    const entry = JSON.parse(/^ENTRYPOINT (.*)$/m.exec(last)?.[1] ?? '[]');
    expect(entry).toEqual(['node', 'node_modules/@svc/store/bin/svc-store.js']);
    expect(existsSync(join(ROOT, 'apps/store', entry[1].split('@svc/store/')[1]))).toBe(true);
  });

  it('contains the packed store, and no sources', () => {
    const copied = Array.from(last.matchAll(/^COPY (.*)$/gm), ([, words]) => words);
    expect(copied).toEqual(['--from=packages /image ./']);
    const scripts = Array.from(
      textOf('Dockerfile').matchAll(/node ((?:scripts|tools)\/\S+)/g),
      ([, path]) => path as string,
    );
    expect(scripts).toEqual(['scripts/build.ts', 'tools/release/pin-store.ts']);
    for (const path of scripts) expect(existsSync(join(ROOT, path)), path).toBe(true);
  });

  it('is well formed', () => {
    const settings = { instructionWorkdirRelative: ValidationSeverity.ERROR };
    expect(validate(textOf('Dockerfile'), settings).map(({ message }) => message)).toEqual([]);
    expect(validate('FROM node\nRUNN x\n', settings)).not.toEqual([]);
  });

  it('excludes secrets and data from the build context', () => {
    const left = textOf('.dockerignore').split('\n');
    expect(left).toEqual(expect.arrayContaining(['.git', '.env', '**/data', '*.pem']));
  });
});

import { describe, expect, it } from 'vitest';
import { bodyOf } from '../../support/test-store.ts';
import { APP, commandsOf, companyStore, publicStore, turn } from './support.ts';

describe('svc-store upstream', () => {
  it('adds an upstream by the key that the operator compared, and says what is carried', async () => {
    const [origin, company] = [await publicStore(), await companyStore()];
    const run = commandsOf(company);
    const { keyId } = await bodyOf(origin.call('GET', '/api/apps/public-key'));
    expect(await run('list')).toBe('This store has no upstream.\n');
    expect(await run('keys', origin.address)).toMatch(new RegExp(`^${keyId}  since \\S+  \\(current\\)\n$`));
    const all = { which: 'all', how: 'all' };
    await expect(run('add', origin.address, all)).rejects.toMatchObject({
      message: expect.stringContaining('--key'),
    });
    await expect(run('add', origin.address, { ...all, key: 'ed25519-0' })).rejects.toMatchObject({
      code: 'invalid_request',
    });
    await expect(run('add', origin.address, { key: keyId, how: 'never' })).rejects.toMatchObject({
      message: expect.stringMatching(/^--how: /),
    });
    expect(await run('list')).toBe('This store has no upstream.\n');
    expect(await run('add', origin.address, { ...all, key: keyId })).toContain('is an upstream');
    await turn(company);
    expect(await run('list')).toMatch(
      new RegExp(`^${origin.address}  1 carried, 0 waiting, 0 refused  works, last reached 2026`),
    );
    expect((await company.call('GET', `/api/apps/${APP}`)).status).toBe(200);
  });

  it('changes what is carried, pins its key again, and removes it', async () => {
    const [origin, company] = [await publicStore(), await companyStore()];
    const run = commandsOf(company);
    const { keyId: key } = await bodyOf(origin.call('GET', '/api/apps/public-key'));
    await run('add', `${origin.address}/`, { key });
    expect(await run('choose', `${origin.address}/`, { apps: ` ${APP}, `, how: 'review' })).toContain(
      'changed',
    );
    await turn(company);
    expect(await run('list')).toContain('0 carried, 1 waiting');
    await expect(run('choose', 'https://apps.example.org', {})).rejects.toMatchObject({ code: 'not_found' });
    expect(await run('pin', origin.address, { key })).toContain(key);
    expect(await run('remove', origin.address)).toContain('no upstream any more');
    expect(await run('list')).toBe('This store has no upstream.\n');
  });
});

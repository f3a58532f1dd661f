import { expect, it } from 'vitest';
import { connect } from '../../src/commands/desktop.ts';
import { testContext } from '../support/command-context.ts';

it('refuses to write a path in the cache of npx into the configuration of an agent', async () => {
  const { context } = await testContext({ SVC_STORE: 'https://store.test' });
  const programFile = '/home/ann/.npm/_npx/0123456789abcdef/node_modules/@svc/cli/dist/desktop.js';
  await expect(connect.run({ ...context, programFile }, [['claude-code']], {}, [])).rejects.toThrow(
    'npm install --global https://store.test/cli.tgz, then svc connect claude-code',
  );
});

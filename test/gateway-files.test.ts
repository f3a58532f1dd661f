import { execFileSync } from 'node:child_process';
import { mkdir, symlink, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { describe, expect, it } from 'vitest';
import { tempFolder } from '../packages/runtime/test/support/temp-folder.ts';
import { png } from '../testkit/src/picture.ts';
import { ADD, answerApprovals, connectAgent, openWorld, TOOLS, textOf } from './support/gateway-world.ts';

describe('the gateway', () => {
  it('accepts file paths only within the project, and returns paths', async () => {
    const picture = Buffer.from(png(64)).toString('base64');
    const {
      agent: to,
      folder,
      desktop,
      prompts,
      mcp,
    } = await openWorld({
      play: () => ({ content: [{ type: 'image', mimeType: 'image/png', data: picture }] }),
      server: { tools: TOOLS },
      apps: [{ grants: ['files:receive', 'files:return'] }],
    });
    const outside = await tempFolder();
    await writeFile(path.join(folder, 'a.txt'), 'Hello.');
    await writeFile(path.join(outside, 'secret.txt'), 'Secret.');
    await symlink(path.join(outside, 'secret.txt'), path.join(folder, 'link.txt'));
    await symlink(outside, path.join(folder, 'out'));
    await mkdir(path.join(folder, 'sub'));
    execFileSync('mkfifo', [path.join(folder, 'pipe')]);
    answerApprovals(prompts, () => true);
    const agent = await connectAgent(to);
    const add = (attachment: unknown) => agent.callTool({ name: ADD, arguments: { title: 'T', attachment } });
    for (const [file, why] of [
      [path.join(outside, 'secret.txt'), 'is not in the project'],
      [path.join(folder, 'link.txt'), 'is not in the project'],
      [path.join(folder, 'out', 'secret.txt'), 'is not in the project'],
      [path.join(folder, '..', path.basename(outside), 'secret.txt'), 'is not in the project'],
      [`${folder}-beside/x`, 'is not in the project'],
      ['/dev/zero', 'is not in the project'],
      [path.join(folder, 'pipe'), 'not a regular file'],
      [path.join(folder, 'sub'), 'not a regular file'],
      [path.join(folder, 'nothing.txt'), 'does not exist'],
      ['a.txt', 'not an absolute path'],
      [{ path: 'a' }, 'takes an absolute path'],
    ] as const) {
      const refused = await add(file);
      expect(refused).toMatchObject({ isError: true });
      expect(textOf(refused)).toContain(why);
    }
    expect(mcp.headersOf('tools/call')).toEqual([]);

    const added = await add(path.join(folder, 'a.txt'));
    const content = added.content as unknown as Record<string, string>[];
    expect(mcp.asked.at(-1)?.message.params.arguments).toMatchObject({
      attachment: { name: 'a.txt', data: Buffer.from('Hello.').toString('base64') },
    });
    const [said, link, image] = content;
    expect(said?.text).toContain(fileURLToPath(link?.uri ?? ''));
    expect(link).toMatchObject({ type: 'resource_link', mimeType: 'image/png' });
    expect(image).toMatchObject({ type: 'image', data: picture });
    // Clients follow links to the server that gave them (VS Code does, for the model), and to no other file.
    const uri = String(link?.uri);
    expect(await agent.readResource({ uri })).toEqual({
      contents: [{ uri, mimeType: 'image/png', blob: picture }],
    });
    const secret = pathToFileURL(path.join(outside, 'secret.txt')).href;
    const id = path.basename(path.dirname(uri));
    for (const other of [secret, uri.replace(/[^/]+$/, 'other.png'), `file:///${id}/image.png`, `${uri}/..`])
      await expect(agent.readResource({ uri: other })).rejects.toThrow('Unknown resource');

    await desktop.settings.allowFolder(outside);
    expect(await add(path.join(outside, 'secret.txt'))).not.toHaveProperty('isError');
  });

  it('asks the user about the first file of an app, and about each hidden file, key and file outside', async () => {
    const {
      agent: to,
      folder,
      desktop,
      prompts,
      mcp,
    } = await openWorld({
      server: { tools: TOOLS },
      apps: [{ grants: ['files:receive'] }],
    });
    const outside = await tempFolder();
    await desktop.settings.allowFolder(outside);
    await mkdir(path.join(folder, '.git'));
    await writeFile(path.join(folder, '.git', 'config'), '[remote]');
    await writeFile(path.join(folder, '.env'), 'TOKEN=x');
    await writeFile(path.join(folder, 'notes.txt'), '-----BEGIN PRIVATE KEY-----');
    await writeFile(path.join(folder, 'a.txt'), 'a');
    await writeFile(path.join(outside, 'b.txt'), 'b');
    await symlink(path.join(folder, '.env'), path.join(folder, 'harmless.txt'));
    let accepted = false;
    const asked = answerApprovals(prompts, () => accepted);
    const agent = await connectAgent(to);
    const add = (file: string) => agent.callTool({ name: ADD, arguments: { title: 'T', attachment: file } });
    const careful = [
      [path.join(folder, '.env'), 'secret'],
      [path.join(folder, 'harmless.txt'), 'secret'],
      [path.join(folder, '.git', 'config'), 'hidden'],
      [path.join(folder, 'notes.txt'), 'secret'],
      [path.join(outside, 'b.txt'), 'outside'],
    ] as const;
    const usual = path.join(folder, 'a.txt');
    for (const [file] of careful) expect(await add(file)).toMatchObject({ isError: true });
    expect(await add(usual)).toMatchObject({ isError: true });
    expect(mcp.headersOf('tools/call')).toEqual([]);
    accepted = true;
    for (const file of [usual, usual]) expect(await add(file)).not.toHaveProperty('isError');
    for (const [file] of careful) expect(await add(file)).not.toHaveProperty('isError');
    const cautions = careful.map(([, caution]) => [caution]);
    expect(asked).toEqual([...cautions, ['first'], ['first'], ...cautions]);
    expect(mcp.headersOf('tools/call')).toHaveLength(7);
  });
});

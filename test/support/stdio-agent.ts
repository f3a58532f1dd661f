import { Client } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { ownProgram } from '@svc/testkit';
import { onTestFinished } from 'vitest';

/** An agent that starts `svc gateway` in a process of its own, for a project of the desktop in a folder. It ends with the test. */
export async function startAgent(folder: string, project: string): Promise<Client> {
  const agent = new Client({ name: 'codex-mcp-client', version: '1.0.0' });
  const { PATH = '', HOME = '' } = process.env;
  const args = [
    ownProgram('svc'),
    'gateway',
    '--provider',
    'codex',
    '--folder',
    folder,
    '--project',
    project,
  ];
  const program = { command: process.execPath, args, env: { PATH, HOME } };
  await agent.connect(new StdioClientTransport({ ...program, stderr: 'ignore' }));
  onTestFinished(() => agent.close());
  return agent;
}

import { openRuntime } from '@svc/runtime';
import { createPageServer } from '@svc/runtime/page-server';
import { consentCard } from '@svc/runtime/parts';

const { SVC_STORE: store = 'http://localhost:8787', SVC_FOLDER: folder = './client', PORT } = process.env;
const where = { project: 'project-1', chat: 'chat-1' };

const page = createPageServer({
  calls: {
    tools: () => runtime.modelTools(where),
    call: ({ name, input }: { name: string; input: Record<string, unknown> }) =>
      runtime.callByModelName(name, { ...where, arguments: input }),
    async install(appId: string) {
      const sheet = await runtime.installer.prepareInstall(appId); // downloaded and verified
      const answer = await page.ask(consentCard(sheet), AbortSignal.timeout(600_000));
      const { manifest } = await runtime.installer.install(sheet, answer);
      return { name: manifest.name, panels: manifest.contributes.panels ?? [] };
    },
  },
});
const { origin } = await page.listen(new URL('page/', import.meta.url), Number(PORT ?? 0));
const client = { name: 'Example client', origin };
const runtime = await openRuntime({ folder, store, ask: page.ask, localApps: true, client });
page.attach(runtime);
runtime.revocations.start();
process.stdout.write(`Open ${origin}/#${page.key}\n`); // only a browser with this URL can answer cards

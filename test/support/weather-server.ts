import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { json, type Play, serveMcp, text } from '../../packages/runtime/test/support/mcp-server.ts';

/** The page of a foreign server, with the class of ext-apps that apps of others use. */
async function weatherPage(more: string): Promise<string> {
  const file = fileURLToPath(import.meta.resolve('@modelcontextprotocol/ext-apps/app-with-deps'));
  const code = await readFile(file, 'utf8');
  const [whole, names = ''] = /export\{([^{}]*)\};?\s*$/.exec(code) ?? [];
  const app = /(\S+) as App(?:,|$)/.exec(names)?.[1]?.split(',').at(-1);
  return `<!doctype html><meta charset="utf-8"><style>body,p{margin:0}body{height:320px;font:1rem sans-serif}</style>
<p id="sky"></p><p id="log"></p>${['Save', 'Hidden', 'Link', 'Inform', 'Say', 'Full'].map((name) => `<button>${name}</button>`).join('')}
<script type="module">${code.slice(0, -(whole?.length ?? 0)).replaceAll('</script', '<\\/script')}
const app = window.app = new ${app}({ name: 'weather', version: '1' }, {});
const told = (window.told = {});
const log = (text) => { document.querySelector('#log').textContent = text; };
app.ontoolinput = ({ arguments: input }) => { told.input = input; };
app.ontoolresult = (result) => {
  told.result = result;
  document.querySelector('#sky').textContent = result.structuredContent.sky + ' in ' + told.input.city;
};
app.onhostcontextchanged = ({ displayMode }) => { if (displayMode) log('mode: ' + displayMode); };
app.onteardown = async () => ({});
await app.connect();
told.context = app.getHostContext();
const content = (text) => [{ type: 'text', text }];
const acts = {
  Save: async () => log('saved: ' + (await app.callServerTool({ name: 'keep', arguments: {} })).content[0].text),
  Hidden: () => app.callServerTool({ name: 'secret', arguments: {} }).then(() => log('hidden: done'), () => log('hidden: refused')),
  Link: async () => log('link: ' + ((await app.openLink({ url: 'https://example.com/forecast' })).isError ? 'refused' : 'opened')),
  Inform: async () => { await app.updateModelContext({ content: content('zoom 3') }); log('informed'); },
  Say: () => app.sendMessage({ role: 'user', content: content('And tomorrow?') }),
  Full: () => app.requestDisplayMode({ mode: 'fullscreen' }),
};
for (const button of document.querySelectorAll('button')) button.onclick = acts[button.textContent];
${more}</script>`;
}

/**
 * A server with a tool that has a page, one for the page alone, and one for models alone.
 * @param more further script of the page
 */
export async function serveWeather(more = '') {
  const html = await weatherPage(more);
  const uri = 'ui://weather/map';
  let kept = 0;
  const tools = [
    { name: 'weather', _meta: { ui: { resourceUri: uri } } },
    { name: 'keep', _meta: { ui: { visibility: ['app'] } } },
    { name: 'secret', _meta: { ui: { visibility: ['model'] } } },
  ];
  const play: Play = ({ message }) => {
    if (message.params.name === 'keep') {
      kept += 1;
      return text(kept === 1 ? 'Kept' : 'Kept twice');
    }
    const [structuredContent, _meta] = [{ sky: 'Rain' }, { map: 'north' }];
    return { content: [{ type: 'text', text: '{"sky":"Rain"}' }], structuredContent, _meta };
  };
  return serveMcp(play, {
    tools,
    before({ message: { id, method }, response }) {
      if (method !== 'resources/read') return false;
      const contents = [{ uri, mimeType: 'text/html;profile=mcp-app', text: html }];
      json(response, { jsonrpc: '2.0', id, result: { contents } });
      return true;
    },
  });
}

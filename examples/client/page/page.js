import { connectPage, definePanelElement } from '/svc/page.js';

const [dialog, question, install, call, said, panels] = document.querySelectorAll('[id]');

/** Shows a card. A real client should have a design for each kind of card. */
const ask = (card, signal) =>
  new Promise((resolve) => {
    question.textContent = JSON.stringify(card, null, 2);
    dialog.onclose = () =>
      resolve(dialog.returnValue === 'yes' ? { accepted: true, binding: card.binding } : { accepted: false });
    signal.addEventListener('abort', () => dialog.close('no'));
    dialog.returnValue = 'no';
    dialog.showModal();
  });
const page = await connectPage({ key: location.hash.slice(1), ask });
definePanelElement(page);

install.onsubmit = async (event) => {
  event.preventDefault();
  const app = install.app.value;
  const installed = await page.call('install', app);
  said.textContent = `${installed.name} is installed.`;
  call.tool.replaceChildren(...(await page.call('tools')).map(({ name, tool }) => new Option(tool, name)));
  for (const { id } of installed.panels) {
    const element = document.createElement('svc-panel');
    Object.entries({ app, panel: id, project: 'project-1' }).map((pair) => element.setAttribute(...pair));
    panels.append(element);
  }
};
call.onsubmit = async (event) => {
  event.preventDefault();
  const input = { name: call.tool.value, input: JSON.parse(call.input.value) };
  said.textContent = JSON.stringify(await page.call('call', input));
};

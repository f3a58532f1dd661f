// Runs in the frame of a diagram, behind the library, which is in the same script: the frame has no network to load it from.
/* global mermaid */

const MAX_ERROR = 2_000;

async function draw() {
  const source = document.getElementById('code');
  const code = source.textContent;
  source.remove();
  const place = document.getElementById('diagram');
  // Nothing in a diagram calls a function, and a diagram cannot change that.
  mermaid.initialize({ startOnLoad: false, securityLevel: 'strict', suppressErrorRendering: true });
  try {
    const { svg } = await mermaid.render('drawn', code);
    place.innerHTML = svg;
    // A link would leave the frame, which has no other page.
    for (const link of place.querySelectorAll('a'))
      for (const { name } of [...link.attributes]) if (/href$/i.test(name)) link.removeAttribute(name);
  } catch (error) {
    const said = document.createElement('pre');
    said.setAttribute('role', 'alert');
    said.textContent = `This diagram cannot be drawn.\n\n${String(error?.message ?? error).slice(0, MAX_ERROR)}`;
    place.replaceChildren(said);
  }
}

draw();

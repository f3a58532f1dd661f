const element = (name, properties, ...children) => {
  const made = Object.assign(document.createElement(name), properties);
  made.append(...children);
  return made;
};

/** A button that asks for confirmation before an action that cannot be undone: a panel has no dialogs. */
function removeButton(remove) {
  const button = element('button', { type: 'button', className: 'quiet remove', textContent: 'Remove' });
  button.addEventListener('click', () => {
    if (button.dataset.asked) return void remove();
    button.dataset.asked = 'yes';
    button.textContent = 'Remove for good?';
  });
  button.addEventListener('blur', () => {
    delete button.dataset.asked;
    button.textContent = 'Remove';
  });
  return button;
}

/**
 * Creates the card of a pin. Text is set as `textContent`, so that it is never parsed as HTML.
 * @param deps pictureOf: resolves to the URL of a picture; remove: removes the pin
 */
export function pinCard(pin, { locale, pictureOf, remove }) {
  const card = element('li', { className: pin.kind });
  if (pin.kind === 'picture') {
    const image = element('img', { alt: pin.text || 'A picture', width: pin.width, height: pin.height });
    pictureOf(pin.id).then(
      (address) => {
        image.src = address;
      },
      ({ message }) => image.replaceWith(element('p', { className: 'hint', textContent: message })),
    );
    card.append(image);
  }
  if (pin.text) card.append(element('p', { textContent: pin.text }));
  const when = new Date(pin.pinnedAt);
  const time = element('time', {
    dateTime: pin.pinnedAt,
    textContent: when.toLocaleDateString(locale, { day: 'numeric', month: 'short' }),
  });
  card.append(element('footer', {}, time, removeButton(remove)));
  return card;
}

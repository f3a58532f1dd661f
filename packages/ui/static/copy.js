// The one way to copy, of rendered pages and of React.

/**
 * Copies a text. A browser may refuse that, as on pages without https: then the text around the button is selected, to be copied by keyboard.
 * @returns {Promise<boolean>} whether it was copied
 */
export async function copyText(text, button) {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    getSelection()?.selectAllChildren(button.closest('.code-block, .copyable, article'));
    return false;
  }
}

export const NOT_COPIED = 'Could not copy. The text is selected: copy it.';

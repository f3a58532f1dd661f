type TextField = HTMLInputElement | HTMLTextAreaElement;

const isBlank = (field: Element): field is TextField =>
  (field instanceof HTMLTextAreaElement ||
    (field instanceof HTMLInputElement && field.type !== 'password')) &&
  field.required &&
  field.value.trim() === '';

/**
 * Stops a form with a required text of spaces alone before it is sent: the browser says so at the field. The store trims texts, and would
 * refuse it in words for programs.
 */
export function refuseBlankTexts(page: Document): void {
  const stop = (event: Event) => {
    const field = event.target instanceof HTMLFormElement && [...event.target.elements].find(isBlank);
    if (!field) return;
    event.preventDefault();
    event.stopPropagation();
    field.setCustomValidity('Fill in this field.');
    field.addEventListener('input', () => field.setCustomValidity(''), { once: true });
    field.reportValidity();
  };
  page.addEventListener('submit', stop, { capture: true });
}

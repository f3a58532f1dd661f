import type { Filled } from './completion-form.tsx';

/** The variables of a URI template, as arguments (RFC 6570 section 2.3). */
export const variablesOf = (uriTemplate: string): Filled['arguments'] =>
  [...uriTemplate.matchAll(/\{[+#./;?&]?([^{}]*)\}/g)]
    .flatMap(([, names = '']) => names.split(','))
    .map((name) => ({ name: name.replace(/\*$|:\d+$/, ''), description: '', isRequired: true }));

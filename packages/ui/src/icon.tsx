import { createElement } from 'react';
import ICONS from './icons.json' with { type: 'json' };

export type IconName = keyof typeof ICONS;

type Node = [tag: string, attributes: Record<string, string>];

/** A decorative icon next to a text. Screen readers skip it. */
export function Icon({ name }: { name: IconName }) {
  const nodes = ICONS[name] as unknown as Node[];
  return (
    <svg className="icon" viewBox="0 0 24 24" aria-hidden="true">
      {nodes.map(([tag, { 'fill-rule': fillRule, ...attributes }]) =>
        createElement(tag, { key: JSON.stringify(attributes), fillRule, ...attributes }),
      )}
    </svg>
  );
}

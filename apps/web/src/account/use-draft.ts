import { useState } from 'react';

function readDraft<T extends object>(key: string, start: T): T {
  try {
    return { ...start, ...JSON.parse(window.sessionStorage.getItem(key) ?? '{}') };
  } catch {
    return start;
  }
}

/**
 * Keeps unsent input. It survives a reload and the end of the session.
 * @param name identifies the draft and its author: several users may use the same tab
 * @param start the initial value
 */
export function useDraft<T extends object>(name: string, start: T) {
  const key = `svc-draft ${name}`;
  const [draft, setDraft] = useState(() => readDraft(key, start));
  const change = (part: Partial<T>) => {
    const next = { ...draft, ...part };
    window.sessionStorage.setItem(key, JSON.stringify(next));
    setDraft(next);
  };
  const clear = (next: T) => {
    window.sessionStorage.removeItem(key);
    setDraft(next);
  };
  return { draft, change, clear };
}

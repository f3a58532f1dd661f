import { useState } from 'react';

function readDraft<T extends object>(key: string, start: T): T {
  try {
    return { ...start, ...JSON.parse(window.sessionStorage.getItem(key) ?? '{}') };
  } catch {
    return start;
  }
}

/**
 * What a person has typed and not sent yet; it outlives a reload, and being signed out meanwhile.
 * @param name whose draft of what: all who use this tab share its memory
 * @param start what stands there before anything is typed
 */
export function useDraft<T extends object>(name: string, start: T) {
  const key = `svc-draft ${name}`;
  const [draft, setDraft] = useState(() => readDraft(key, start));
  const change = (part: Partial<T>) => {
    const next = { ...draft, ...part };
    window.sessionStorage.setItem(key, JSON.stringify(next));
    setDraft(next);
  };
  const forget = (next: T) => {
    window.sessionStorage.removeItem(key);
    setDraft(next);
  };
  return { draft, change, forget };
}

import type { Me } from '@svc/contracts';
import { type ApiRequest, apiRequest } from '@svc/contracts/client';
import { type UseQueryOptions, useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { createContext, useContext, useEffect, useState } from 'react';
import { read, send } from './api.ts';

export const useMe = () => useRead(apiRequest('GET /api/people/me'));

/** Provides the signed-in user to the components below. */
export const SignedIn = createContext<Me | null>(null);

/** The signed-in user; only for components below `SignedIn`. */
export function useSignedIn(): Me {
  const me = useContext(SignedIn);
  if (!me) throw new Error('useSignedIn is used outside of SignedIn.');
  return me;
}

/** The signed-in user, as records and the audit log name who did something. */
export const useActor = (): string => `person:${useSignedIn().id}`;

/** Sends a request that reads. @param options of the query, such as how often it is sent again */
export const useRead = <T>(
  request: ApiRequest<T>,
  options: Omit<UseQueryOptions<T>, 'queryKey' | 'queryFn'> = {},
) => useQuery({ ...options, queryKey: [request.path], queryFn: () => read(request) });

/** Builds a request, or throws an error for the user. */
export type RequestOf<Answer, Input> = (input: Input) => ApiRequest<Answer> | Promise<ApiRequest<Answer>>;

/**
 * Sends a change to the store, and reloads all queries of the page when it succeeds.
 * @param requestOf builds the request from the input of the mutation
 */
export function useChange<Answer, Input = void>(requestOf: RequestOf<Answer, Input>) {
  const { csrf } = useSignedIn();
  const queries = useQueryClient();
  return useMutation<Answer, Error, Input>({
    mutationFn: async (input) => send(csrf, await requestOf(input)),
    onSuccess: () => queries.invalidateQueries(),
  });
}

/** Asks for confirmation before the user leaves a page that would lose something. */
export function useLeaveGuard(isOn: boolean): void {
  useEffect(() => {
    if (!isOn) return undefined;
    const ask = (event: BeforeUnloadEvent) => event.preventDefault();
    window.addEventListener('beforeunload', ask);
    return () => window.removeEventListener('beforeunload', ask);
  }, [isOn]);
}

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

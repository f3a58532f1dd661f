import type { Me } from '@svc/contracts';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { createContext, useContext } from 'react';
import { read, send } from './api.ts';

/** The person who is signed in. */
export const useMe = () => useQuery({ queryKey: ['me'], queryFn: () => read<Me>('/api/people/me') });

/** The person who is signed in, for all that is shown once that is known. */
export const SignedIn = createContext<Me | null>(null);

/** The person who is signed in, below `SignedIn`. */
export function useSignedIn(): Me {
  const me = useContext(SignedIn);
  if (!me) throw new Error('Nobody is known to be signed in here.');
  return me;
}

/** What the store is asked for by its path. */
export const useRead = <T>(path: string) => useQuery({ queryKey: [path], queryFn: () => read<T>(path) });

export type Change = { method: 'POST' | 'PUT' | 'PATCH' | 'DELETE'; path: string; json?: unknown };

/**
 * A change that the store is asked for; all that is shown is asked for again once it is made.
 * @param make what is asked for, of what it is asked with
 */
export function useChange<Answer = unknown, Input = void>(make: (input: Input) => Change) {
  const { csrf } = useSignedIn();
  const queries = useQueryClient();
  return useMutation<Answer, Error, Input>({
    mutationFn: (input) => {
      const { method, path, json } = make(input);
      return send<Answer>(csrf, method, path, json);
    },
    onSuccess: () => queries.invalidateQueries(),
  });
}

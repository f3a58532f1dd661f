import type { Me } from '@svc/contracts';
import { type ApiRequest, apiRequest } from '@svc/contracts/client';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { createContext, useContext } from 'react';
import { pathOf, read, send } from './api.ts';

/** Reads the signed-in user. */
export const useMe = () =>
  useQuery({ queryKey: ['me'], queryFn: () => read(apiRequest('GET /api/people/me')) });

/** Provides the signed-in user to the components below. */
export const SignedIn = createContext<Me | null>(null);

/** The signed-in user; only for components below `SignedIn`. */
export function useSignedIn(): Me {
  const me = useContext(SignedIn);
  if (!me) throw new Error('useSignedIn is used outside of SignedIn.');
  return me;
}

/** Reads a path of the store. */
export const useRead = <T>(request: string | ApiRequest<T>) =>
  useQuery({ queryKey: [pathOf(request)], queryFn: () => read<T>(request) });

export type Change = { method: 'POST' | 'PUT' | 'PATCH' | 'DELETE'; path: string; json?: unknown };

/**
 * Sends a change to the store, and reloads all queries of the page when it succeeds.
 * @param requestOf builds the request from the input of the mutation
 */
export function useChange<Answer = unknown, Input = void>(
  requestOf: (input: Input) => Change | ApiRequest<Answer>,
) {
  const { csrf } = useSignedIn();
  const queries = useQueryClient();
  return useMutation<Answer, Error, Input>({
    mutationFn: (input) => {
      const { method, path, json } = requestOf(input);
      return send<Answer>(csrf, method, path, json);
    },
    onSuccess: () => queries.invalidateQueries(),
  });
}

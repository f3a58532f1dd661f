import { useQuery } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import { useDesk } from '../wire/use-desktop.ts';

/**
 * Something that needs the bearer, as an address for this page alone. It is released with what shows it.
 * @param edition tells apart what is served at the same path at different times
 */
export function useBlob(
  path: string,
  edition = '',
): { url: string | null; blob: Blob | null; error: Error | null } {
  const desk = useDesk();
  const { data: blob = null, error } = useQuery({
    queryKey: ['bytes', path, edition],
    queryFn: ({ signal }) => desk.bytes(path, signal),
    staleTime: Number.POSITIVE_INFINITY,
    retry: false,
  });
  const [url, setUrl] = useState<string | null>(null);
  useEffect(() => {
    if (!blob) return;
    const made = URL.createObjectURL(blob);
    setUrl(made);
    return () => URL.revokeObjectURL(made);
  }, [blob]);
  return { url, blob, error };
}

import { useEffect, useState } from 'react';
import type { FieldValues, UseFormReturn } from 'react-hook-form';

/** Keeps what the user has typed over pages and reloads, until it is discarded. */
export function useDraft<Values extends FieldValues>(form: UseFormReturn<Values>, name: string) {
  const key = `draft:${name}`;
  const [isRestored] = useState(() => sessionStorage.getItem(key) !== null);
  useEffect(() => {
    const draft = sessionStorage.getItem(key);
    if (draft !== null) form.reset(JSON.parse(draft) as Values, { keepDefaultValues: true });
    const { unsubscribe } = form.watch((values) => sessionStorage.setItem(key, JSON.stringify(values)));
    return unsubscribe;
  }, [form, key]);
  return { isRestored, discard: () => sessionStorage.removeItem(key) };
}

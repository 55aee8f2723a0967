// Waits for calls whose end is not known beforehand, and for things that must happen soon.

/** What became of a call: what the application got, or the error it was given instead. */
export type Settled = { readonly value: unknown } | { readonly error: unknown };

/** Waits for a call, whichever way it ends. */
export function settle(call: Promise<unknown>): Promise<Settled> {
  return call.then(
    (value) => ({ value }),
    (error: unknown) => ({ error }),
  );
}

/** Runs something that may throw. */
export function attempt(run: () => unknown): Settled {
  try {
    return { value: run() };
  } catch (error) {
    return { error };
  }
}

/** Waits for a call at most some milliseconds; rejects then, naming what was waited for. */
export async function within<T>(milliseconds: number, what: string, call: Promise<T>): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error(`cannot wait for ${what}: nothing came for ${milliseconds} ms`)), milliseconds);
  });
  try {
    return await Promise.race([call, late]);
  } finally {
    clearTimeout(timer);
  }
}

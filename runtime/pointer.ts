// Writes JSON pointers. Takes the keys from a payload's root; gives the pointer's text.

/** Gives the pointer to where the first `depth` keys of a path lead. */
export function pointerOf(path: readonly (string | number)[], depth: number): string {
  let pointer = "";
  for (let index = 0; index < depth; index += 1) {
    const segment = path[index] as string | number;
    pointer +=
      typeof segment === "string" && /[~/]/.test(segment) ? `/${segment.replaceAll("~", "~0").replaceAll("/", "~1")}` : `/${segment}`;
  }
  return pointer;
}

/** Creates names that give each file a unique path: a second `a.txt` becomes `a (2).txt`. */
export function createPathNames(): { add(path: string): string } {
  const used = new Set<string>();
  return {
    add(path) {
      let unique = path;
      for (let number = 2; used.has(unique); number += 1) unique = withNumber(path, number);
      used.add(unique);
      return unique;
    },
  };
}

function withNumber(path: string, number: number): string {
  const name = path.slice(path.lastIndexOf("/") + 1);
  const dot = name.lastIndexOf(".");
  const end = dot > 0 ? path.length - (name.length - dot) : path.length;
  return `${path.slice(0, end)} (${number})${path.slice(end)}`;
}

/**
 * Makes `before` look like `after` with as little change as there can be: nodes that stay keep what is selected in them, the keyboard and their
 * scroll position. Only attributes, texts and children are compared; listeners must be equal where these are.
 * @param before nodes that stand side by side in one parent; not empty.
 * @param after nodes that stand nowhere yet, or in a fragment; they are used up.
 * @returns what stands there then.
 */
export function morphNodes(before: readonly ChildNode[], after: readonly ChildNode[]): ChildNode[] {
  const result: ChildNode[] = [];
  let place = before[0]?.previousSibling ?? null;
  const parent = before[0]?.parentNode;
  for (const [index, next] of after.entries()) {
    const old = before[index];
    const node = old !== undefined && canBecome(old, next) ? old : next;
    if (node === old) become(old, next);
    else if (old !== undefined) old.replaceWith(next);
    else if (place !== null) place.after(next);
    else parent?.prepend(next);
    result.push(node);
    place = node;
  }
  for (const extra of before.slice(after.length)) extra.remove();
  return result;
}

function canBecome(old: ChildNode, next: ChildNode): boolean {
  if (old instanceof Text) return next instanceof Text;
  if (!(old instanceof Element && next instanceof Element)) return false;
  return (
    old.localName === next.localName &&
    old.attributes.length === next.attributes.length &&
    [...next.attributes].every(({ name, value }) => old.getAttribute(name) === value)
  );
}

function become(old: ChildNode, next: ChildNode): void {
  if (old instanceof Text && next instanceof Text) {
    const kept = commonStart(old.data, next.data);
    if (kept < old.length || kept < next.length) old.replaceData(kept, old.length - kept, next.data.slice(kept));
  } else if (old instanceof Element && next instanceof Element) {
    if (old.firstChild === null) old.append(...next.childNodes);
    else morphNodes([...old.childNodes], [...next.childNodes]);
  }
}

function commonStart(one: string, other: string): number {
  if (other.startsWith(one)) return one.length;
  let length = 0;
  while (length < one.length && one[length] === other[length]) length += 1;
  return length;
}

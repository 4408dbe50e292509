/** UTF-16 units in lower case, by unit; 0 for those not looked up yet. */
const folded = new Uint16Array(0x10000);

/** Lower-cases a UTF-16 unit. One whose lower case is longer stays as it is. */
export function foldUnit(unit: number): number {
  const known = folded[unit];
  if (known !== undefined && known !== 0) return known;
  const lower = String.fromCharCode(unit).toLowerCase();
  const result = lower.length === 1 ? lower.charCodeAt(0) : unit;
  folded[unit] = result;
  return result;
}

/**
 * Returns the letters of a text as bits: one each for a to z, one for all digits, five shared by everything else. A text can only contain
 * the letters of another in order when it has all of its bits.
 */
export function letterMask(text: string): number {
  let mask = 0;
  for (let index = 0; index < text.length; index += 1) mask |= unitBit(foldUnit(text.charCodeAt(index)));
  return mask;
}

function unitBit(unit: number): number {
  if (unit >= 97 && unit <= 122) return 1 << (unit - 97);
  if (unit >= 48 && unit <= 57) return 1 << 26;
  return 1 << (27 + (unit % 5));
}

const NUMBER = /^(-?)(\d+)(\.\d+)?$/;

/**
 * Decimal digits with a comma between thousands of the whole part, worked on as text so that none is lost. Whole parts
 * of fewer than `from` digits, numbers with an exponent and anything else stay as they are.
 */
export function groupThousands(digits: string, from = 4): string {
  const found = NUMBER.exec(digits);
  const [, sign = '', whole = '', fraction = ''] = found ?? [];
  if (found === null || whole.length < from) return digits;
  return sign + whole.replace(/\B(?=(?:\d{3})+$)/g, ',') + fraction;
}

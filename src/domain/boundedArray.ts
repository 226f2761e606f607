import { z } from 'zod';

/**
 * An array whose elements have a shape. Unlike z.array it stops at the first problems, so that a long array of
 * nothing but wrong elements costs no more than its reading. `isPlain` is a quick look at an element, true where it has
 * the shape; it comes out as it is then, with fields that the shape does not name.
 */
export function boundedArray<Element>(
  element: z.ZodType<Element>,
  { maxIssues, isPlain }: { maxIssues: number; isPlain?: (value: unknown) => boolean },
) {
  const compiled = z.compile(element);
  return z.array(z.unknown()).transform((values, context): Element[] => {
    if (isPlain && values.every(isPlain)) return values as Element[];
    const elements: Element[] = [];
    let issues = 0;
    for (const [index, value] of values.entries()) {
      const result = compiled.safeParse(value);
      if (result.success) {
        elements.push(result.data);
        continue;
      }
      for (const { path, message } of result.error.issues) {
        context.addIssue({ code: 'custom', path: [index, ...path], message });
        issues += 1;
      }
      if (issues >= maxIssues) return z.NEVER;
    }
    return elements;
  });
}

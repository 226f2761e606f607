import { z } from 'zod';

/**
 * An array whose elements have a shape. Unlike z.array it stops at the first problems, so that a long array of
 * nothing but wrong elements costs no more than its reading.
 */
export function listOf<Element>(element: z.ZodType<Element>, { mostProblems }: { mostProblems: number }) {
  return z.array(z.unknown()).transform((values, context): Element[] => {
    const elements: Element[] = [];
    let problems = 0;
    for (const [index, value] of values.entries()) {
      const result = element.safeParse(value);
      if (result.success) {
        elements.push(result.data);
        continue;
      }
      for (const { path, message } of result.error.issues) {
        context.addIssue({ code: 'custom', path: [index, ...path], message });
        problems += 1;
      }
      if (problems >= mostProblems) return z.NEVER;
    }
    return elements;
  });
}

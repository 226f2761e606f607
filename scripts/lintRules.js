/** Rules of our own for the linter (.oxlintrc.json). Plain JavaScript, because the linter loads it on Node.js 20. */

const EFFECTS = new Set(['ExpressionStatement', 'IfStatement', 'TryStatement', 'ForStatement']);

const noImportEffects = {
  create: (context) => ({
    Program({ body }) {
      for (const node of body) {
        if (EFFECTS.has(node.type))
          context.report({
            node,
            message: 'Importing a module must do nothing: only a program acts at its top level.',
          });
        if (node.type === 'ImportDeclaration' && node.specifiers.length === 0)
          context.report({ node, message: 'Importing a module must do nothing: import a name.' });
      }
    },
  }),
};

const noTry = {
  create: (context) => ({
    TryStatement(node) {
      context.report({
        node,
        message:
          'Resolvers are tables: failures become payloads in writeFailures.ts, and errors in graphql/publicErrors.ts.',
      });
    },
  }),
};

export default {
  meta: { name: 'gateway' },
  rules: { 'no-import-effects': noImportEffects, 'no-try': noTry },
};

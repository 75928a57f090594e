const compile = 'packages/rules/src/compile'

export const area = 'rules-compile'

export const tests = [
  'packages/rules/test/walk packages/rules/test/variants packages/rules/test/overrides packages/rules/test/shadow packages/rules/test/public-names packages/rules/test/explain packages/rules/test/single-values',
  'packages/rules/test/bounds packages/rules/test/findings packages/rules/test/values packages/rules/test/judge packages/rules/test/koala packages/rules/test/loading/limiter',
  'packages/rules/test/index-equals-naive',
]

export const mutants = [
  {
    file: `${compile}/walk.ts`,
    name: 'one rule less may apply to a request',
    find: 'if (applied.length <= mostApplied) return',
    replace: 'if (applied.length < mostApplied) return',
  },
  {
    file: `${compile}/walk.ts`,
    name: 'too many rules are never the mistake of the client',
    find: 'context.hasSeveralMeanings ? requestError : rulesError',
    replace: 'context.hasSeveralMeanings ? rulesError : rulesError',
  },
  {
    file: `${compile}/walk.ts`,
    name: 'two rules of one count apply to a request',
    find: '    if (limit.count === count) return true\n',
    replace: '',
  },
  {
    file: `${compile}/walk.ts`,
    name: 'an enforced rule below takes the place of a shadow rule',
    find: 'other.rule.number < number',
    replace: 'other.rule.number !== number',
  },
  {
    file: `${compile}/walk.ts`,
    name: 'a shadow rule that waits for a value is dropped',
    find: '      if (error === suspended) throw error\n',
    replace: '',
  },
  {
    file: `${compile}/walk.ts`,
    name: 'rules below one that ends the search apply',
    find: '      endedBy = rule\n      break\n',
    replace: '      endedBy = rule\n',
  },
  {
    file: `${compile}/walk.ts`,
    name: 'a request has a tag twice',
    find: 'if (tags?.includes(action.tag) !== true) tags',
    replace: 'tags',
  },
  {
    file: `${compile}/consumptions.ts`,
    name: 'rules that do not deny stop each other',
    find: "if (limit.role !== 'enforced') groups.push([i])",
    replace: "if (limit.role === 'shadow') groups.push([i])",
  },
  {
    file: `${compile}/consumptions.ts`,
    name: 'rules of one call use the keys of other rules',
    find: 'keys[name] = applied[members[i]].key',
    replace: 'keys[name] = applied[i].key',
  },
  {
    file: `${compile}/consumptions.ts`,
    name: 'each call has the cost of the first rule',
    find: 'this.cost = costsOf(group, applied)',
    replace: 'this.cost = applied[0].cost',
  },
  {
    file: `${compile}/consumptions.ts`,
    name: 'each rule of a call has the decision of the first one',
    find: 'countDecision(stats, names[i],',
    replace: 'countDecision(stats, names[0],',
  },
  {
    file: `${compile}/consumptions.ts`,
    name: 'a failure counts as an error of one rule',
    find: 'for (const member of this.#group.members)',
    replace: 'for (const member of this.#group.members.slice(0, 1))',
  },
  {
    file: `${compile}/stats.ts`,
    name: 'a quota of which 80 % are used is not near its end',
    find: '>= nearShare',
    replace: '> nearShare',
  },
  {
    file: `${compile}/stats.ts`,
    name: 'a rule with several policies counts several times',
    find: '      stats.near++\n      return\n',
    replace: '      stats.near++\n',
  },
  {
    file: `${compile}/stats.ts`,
    name: 'a rule denies only if all of its policies do',
    find: 'names.some((name) => decision.deniedBy',
    replace: 'names.every((name) => decision.deniedBy',
  },
  {
    file: `${compile}/rule-set.ts`,
    name: 'a judgement that waits counts as an error',
    find: 'if (error !== suspended) stats[number].errors++',
    replace: 'stats[number].errors++',
  },
  {
    file: `${compile}/rule-set.ts`,
    name: 'shadow limits count requests that are refused',
    find: 'return isRefused || applied.length === 0 ?',
    replace: 'return applied.length === 0 ?',
  },
  {
    file: `${compile}/rule-set.ts`,
    name: 'a refused request is allowed if a shadow rule waits',
    find: "if (judgement.type === 'refuse' || shadow === noCalls) return judgement",
    replace: 'if (shadow === noCalls) return judgement',
  },
  {
    file: `${compile}/rule-set.ts`,
    name: 'a shadow rule that refuses counts nothing',
    find: "if (action.type === 'refuse') stats[number].shadowDenied++",
    replace: "if (action.type === 'allow') stats[number].shadowDenied++",
  },
  {
    file: `${compile}/rule.ts`,
    name: 'an exemption applies to one of several values',
    find: 'if (isSeveral(context.read(single[i]))) return false',
    replace: "if (typeof context.read(single[i]) === 'symbol') return false",
  },
  {
    file: `${compile}/rule.ts`,
    name: 'a shadow rule that tags adds its tag',
    find: "const role = shadow === true ? 'shadow' : outcome.type === 'tag' ? 'tagging' : 'enforced'",
    replace:
      "const role = outcome.type === 'tag' ? 'tagging' : shadow === true ? 'shadow' : 'enforced'",
  },
  {
    file: `${compile}/rule.ts`,
    name: 'overrides beside "then" are ignored',
    find: "  'overrides',\n",
    replace: '',
  },
  {
    file: `${compile}/rule.ts`,
    name: 'a count can be called "successes"',
    find: " && count !== 'successes') return",
    replace: ') return',
  },
  {
    file: `${compile}/counts.ts`,
    name: 'a policy of one rule has the name of another count',
    find: 'if (owner !== undefined && owner !== limit.count) {',
    replace: 'if (owner !== undefined && owner === name) {',
  },
  {
    file: `${compile}/counts.ts`,
    name: 'a shadow rule shares the count of an enforced one',
    find: "(limit.role === 'shadow') !== (otherLimit.role === 'shadow')",
    replace: "limit.role === 'shadow' && otherLimit.role === 'shadow'",
  },
  {
    file: `${compile}/counts.ts`,
    name: 'one of two rules with a count cannot be without a limit',
    find: "filter((kind) => kind !== 'unlimited')",
    replace: "filter((kind) => kind !== '')",
  },
  {
    file: `${compile}/rule-set.ts`,
    name: 'a hidden name is that of another rule',
    find: 'while (taken.has(name))',
    replace: 'while (names.has(name))',
  },
  {
    file: `${compile}/rule-set.ts`,
    name: 'a hidden count that rules share has another name in each',
    find: '      if (names.has(policy)) continue\n',
    replace: '',
  },
  {
    file: `${compile}/compile-rules.ts`,
    name: 'a wrong entry of a list is dropped',
    find: 'if (findings.hasErrors) throw',
    replace: 'if (findings.hasErrors && rules.length === 0) throw',
  },
  {
    file: `${compile}/explain.ts`,
    name: 'an explanation names a shadow rule in place of an enforced one',
    find: '      (rule.shadow || !shadow) &&\n',
    replace: '',
  },
  {
    file: `${compile}/explain.ts`,
    name: 'an explanation shows limits above a refusal as asked',
    find: 'const applied = isRefused ? [] : inOrder(',
    replace: 'const applied = inOrder(',
  },
  {
    file: `${compile}/explain.ts`,
    name: 'an explanation misses an alternative of a key',
    find: 'fields.every((field) => context.read(field) === undefined)',
    replace: 'fields.some((field) => context.read(field) === undefined)',
  },
  {
    file: `${compile}/explain.ts`,
    name: 'an explanation has the rules in the order in which they were found',
    find: 'return applied.toSorted((a, b) => a.rule.number - b.rule.number)',
    replace: 'return applied',
  },
]

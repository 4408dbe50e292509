import {
  type ArithmeticExpression,
  type Assignment,
  forEachChild,
  type ParsedScript,
  type SyntaxNode,
  type TestExpression,
} from "unbash";
import { variableKind } from "./environment.ts";

/** What is found in a script beside its commands. */
export interface ScriptFacts {
  /** Why the script as a whole cannot be judged. */
  problems: string[];
  /** Variables that it sets, or may set, and that may decide what runs. */
  assigned: Set<string>;
}

const NUMBER_TESTS = new Set(["-eq", "-ne", "-lt", "-le", "-gt", "-ge"]);

/** Looks at every expansion of a script for those that run code which no parser sees. */
export function inspectScript(script: ParsedScript): ScriptFacts {
  const facts: ScriptFacts = { problems: [], assigned: new Set() };
  const report = (problem: string) => {
    if (!facts.problems.includes(problem)) facts.problems.push(problem);
  };
  for (const { message } of script.errors ?? []) report(message);
  const visit = (node: SyntaxNode) => {
    inspectNode(node, facts, report);
    forEachChild(node, visit);
  };
  visit(script);
  return facts;
}

function inspectNode(node: SyntaxNode, facts: ScriptFacts, report: (problem: string) => void): void {
  switch (node.type) {
    case "Assignment":
      if (decidesMore(node)) facts.assigned.add(node.name);
      if (node.index !== undefined) inspectText(node.index.value, node.index.text, report);
      return;
    case "For":
    case "Select":
      facts.assigned.add(node.name.value);
      return;
    case "Coproc":
      if (node.name !== undefined) facts.assigned.add(node.name.value);
      return;
    case "Redirect":
    case "HereDoc":
    case "HereString":
      if (node.descriptor?.type === "FileDescriptorVariable") facts.assigned.add(node.descriptor.name);
      return;
    case "ParameterExpansion": {
      const { operation, prefix, index, parameter, text } = node;
      if (operation?.type === "Transform" || operation?.type === "Unknown")
        report(`${text} is known only when it runs`);
      if (prefix === "!" && operation?.type !== "Names") report(`${text} is known only when it runs`);
      if (operation?.type === "Default" && operation.operator.includes("=")) facts.assigned.add(parameter);
      if (operation?.type === "Slice")
        inspectText(`${operation.offset.value} ${operation.length?.value}`, text, report);
      if (index !== undefined) inspectText(index.value, text, report);
      return;
    }
    case "ArithmeticExpansion":
      inspectArithmetic(node.expression, node.text, report);
      return;
    case "ArithmeticCommand":
      inspectArithmetic(node.expression, `((${node.body}))`, report);
      return;
    case "ArithmeticFor":
      for (const one of [node.initialize, node.test, node.update]) inspectArithmetic(one, "for ((…))", report);
      return;
    case "TestCommand":
      inspectTest(node.expression, report);
      return;
    default:
      return;
  }
}

function decidesMore({ name, value }: Assignment): boolean {
  return variableKind(name, value.type === "Word" ? value.value : undefined) === "deciding";
}

/** An index is calculated, and calculating a variable may run what is in it: only numbers, `@` and `*` are plain. */
function inspectText(text: string, shown: string, report: (problem: string) => void): void {
  if (!/^[\s\d@*:+-]*(undefined)?$/.test(text)) report(`${shown} is calculated when it runs`);
}

/** A variable in a calculation is itself calculated, and that may run a command. Only numbers are certain. */
function inspectArithmetic(
  expression: ArithmeticExpression | undefined,
  shown: string,
  report: (problem: string) => void,
): void {
  if (expression === undefined) return;
  switch (expression.type) {
    case "ArithmeticBinary":
      inspectArithmetic(expression.left, shown, report);
      inspectArithmetic(expression.right, shown, report);
      return;
    case "ArithmeticUnary":
      inspectArithmetic(expression.operand, shown, report);
      return;
    case "ArithmeticTernary":
      for (const one of [expression.test, expression.consequent, expression.alternate]) {
        inspectArithmetic(one, shown, report);
      }
      return;
    case "ArithmeticGroup":
      inspectArithmetic(expression.expression, shown, report);
      return;
    case "ArithmeticWord":
      if (!/^(\d+|0x[\da-f]+|\$[#?$])$/i.test(expression.value)) report(`${shown} is calculated when it runs`);
      return;
    default:
      report(`${shown} is calculated when it runs`);
  }
}

function inspectTest(expression: TestExpression, report: (problem: string) => void): void {
  switch (expression.type) {
    case "TestUnary":
      if (expression.operator === "-v" || expression.operator === "-R") inspectName(expression.operand.value, report);
      return;
    case "TestBinary":
      if (!NUMBER_TESTS.has(expression.operator)) return;
      for (const { value } of [expression.left, expression.right]) {
        if (!/^(-?\d+|\$[#?])$/.test(value)) report(`[[ … ${expression.operator} … ]] is calculated when it runs`);
      }
      return;
    case "TestLogical":
      for (const one of expression.operands) inspectTest(one, report);
      return;
    case "TestNot": {
      inspectTest(expression.operand, report);
      return;
    }
    case "TestGroup": {
      inspectTest(expression.expression, report);
      return;
    }
  }
}

function inspectName(name: string, report: (problem: string) => void): void {
  if (!/^\w+$/.test(name)) report(`-v ${name} is calculated when it runs`);
}

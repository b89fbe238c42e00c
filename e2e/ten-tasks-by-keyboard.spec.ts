import { testTenTasks } from "./fixtures/ten-tasks.ts";

testTenTasks("keyboard", { width: 1440, height: 900 });

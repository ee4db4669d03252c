//! Twenty ordinary instructions on three workbooks, with code as models write it.

pub struct Instruction {
    pub book: &'static str,
    pub instruction: &'static str,
    pub code: &'static str,
    /// What it prints.
    pub printed: &'static str,
    /// What stands in the workbook afterwards: sheet, cell, and what it shows.
    pub cells: &'static [(&'static str, &'static str, &'static str)],
}

pub const INSTRUCTIONS: [Instruction; 20] = [
    Instruction {
        book: "orders.xlsx",
        instruction: "What is the revenue by region?",
        code: "import pandas as pd\n\
            df = pd.read_excel('orders.xlsx', sheet_name='Orders')\n\
            df['Total'] = df['Units'] * df['Price']\n\
            print(df.groupby('Region')['Total'].sum().round(2).to_string())",
        printed: "Region\nEast     10469.2\nNorth    28309.2\nSouth    55879.6\nWest       987.8",
        cells: &[],
    },
    Instruction {
        book: "orders.xlsx",
        instruction: "How many orders are there of each status?",
        code: "from collections import Counter\nfrom openpyxl import load_workbook\n\
            ws = load_workbook('orders.xlsx')['Orders']\n\
            counts = Counter(row[8] for row in ws.iter_rows(min_row=2, values_only=True))\n\
            for status, n in sorted(counts.items(), key=lambda kv: -kv[1]):\n    print(f'{status}: {n}')",
        printed: "paid: 20\nopen: 13\ncancelled: 7",
        cells: &[],
    },
    Instruction {
        book: "orders.xlsx",
        instruction: "Delete the cancelled orders",
        code: "import openpyxl\nwb = openpyxl.load_workbook('orders.xlsx')\nws = wb['Orders']\n\
            for row in range(ws.max_row, 1, -1):\n    if ws.cell(row=row, column=9).value == 'cancelled':\n        \
            ws.delete_rows(row)\n\
            for row in range(2, ws.max_row + 1):\n    ws.cell(row=row, column=8).value = f'=F{row}*G{row}'\n\
            wb.save('orders.xlsx')\nprint(ws.max_row - 1, 'orders left')",
        printed: "33 orders left",
        cells: &[
            ("Orders", "A5", "A-1005"),
            ("Orders", "H5", "=F5*G5"),
            ("Orders", "A34", "A-1039"),
            ("Orders", "A35", ""),
        ],
    },
    Instruction {
        book: "orders.xlsx",
        instruction: "Add a column with 20 % VAT",
        code: "from openpyxl import load_workbook\nfrom openpyxl.utils import get_column_letter\n\
            wb = load_workbook('orders.xlsx')\nws = wb['Orders']\ncol = ws.max_column + 1\n\
            ws.cell(row=1, column=col, value='VAT')\nfor r in range(2, ws.max_row + 1):\n    \
            ws.cell(row=r, column=col).value = f'=H{r}*0.2'\n    ws.cell(row=r, column=col).number_format = '#,##0.00'\n\
            wb.save('orders.xlsx')\nprint(get_column_letter(col), ws.max_row - 1)",
        printed: "J 40",
        cells: &[("Orders", "J1", "VAT"), ("Orders", "J2", "=H2*0.2"), ("Orders", "J41", "=H41*0.2")],
    },
    Instruction {
        book: "orders.xlsx",
        instruction: "Mark the open orders yellow",
        code: "import openpyxl\nfrom openpyxl.styles import PatternFill\nwb = openpyxl.load_workbook('orders.xlsx')\n\
            ws = wb['Orders']\nyellow = PatternFill(start_color='FFFF00', end_color='FFFF00', fill_type='solid')\n\
            n = 0\nfor row in ws.iter_rows(min_row=2):\n    if row[8].value == 'open':\n        n += 1\n        \
            for cell in row:\n            cell.fill = yellow\nwb.save('orders.xlsx')\nprint('%d rows marked' % n)",
        printed: "13 rows marked",
        cells: &[("Orders", "A3", "A-1002")],
    },
    Instruction {
        book: "orders.xlsx",
        instruction: "Put the five largest orders on a sheet of their own",
        code: "from openpyxl import load_workbook\nwb = load_workbook('orders.xlsx')\nws = wb['Orders']\n\
            rows = [r for r in ws.iter_rows(min_row=2, values_only=True)]\n\
            top = sorted(rows, key=lambda r: r[5] * r[6], reverse=True)[:5]\n\
            out = wb.create_sheet('Top 5')\nout.append(['Order', 'Customer', 'Value'])\n\
            for r in top:\n    out.append([r[0], r[2], round(r[5] * r[6], 2)])\nwb.save('orders.xlsx')\n\
            print([r[0] for r in top])",
        printed: "['A-1024', 'A-1025', 'A-1003', 'A-1030', 'A-1008']",
        cells: &[("Top 5", "A1", "Order"), ("Top 5", "C2", "17010")],
    },
    Instruction {
        book: "orders.xlsx",
        instruction: "Make the customers' headings bold and their columns wider",
        code: "import openpyxl\nfrom openpyxl.styles import Font\nwb = openpyxl.load_workbook('orders.xlsx')\n\
            ws = wb['Customers']\nfor cell in ws[1]:\n    cell.font = Font(bold=True)\n\
            for letter in ['A', 'B', 'C', 'D']:\n    ws.column_dimensions[letter].width = 22\nwb.save('orders.xlsx')\n\
            print([c.value for c in ws[1]])",
        printed: "['Customer', 'Region', 'Country', 'Orders']",
        cells: &[("Customers", "D2", "=COUNTIF(Orders!$C$2:$C$41,A2)")],
    },
    Instruction {
        book: "orders.xlsx",
        instruction: "Write a table of revenue by month and region",
        code: "import pandas as pd\ndf = pd.read_excel('orders.xlsx', sheet_name='Orders')\n\
            df['Total'] = df['Units'] * df['Price']\ndf['Month'] = pd.to_datetime(df['Date']).dt.strftime('%Y-%m')\n\
            p = df.pivot_table(index='Month', columns='Region', values='Total', aggfunc='sum', fill_value=0)\n\
            with pd.ExcelWriter('orders.xlsx', engine='openpyxl', mode='a', if_sheet_exists='replace') as w:\n    \
            p.to_excel(w, sheet_name='By month')\nprint(p.shape)",
        printed: "(8, 4)",
        cells: &[("By month", "A1", "Month"), ("By month", "B1", "East"), ("Customers", "A2", "Velo Nord")],
    },
    Instruction {
        book: "budget.xlsx",
        instruction: "Which category grows most from Q1 to Q4?",
        code: "from openpyxl import load_workbook\nws = load_workbook('budget.xlsx')['2026']\ngrowth = {}\n\
            for name, q1, q2, q3, q4, year in ws.iter_rows(min_row=4, max_row=9, values_only=True):\n    \
            growth[name] = (q4 - q1) / q1\nbest = max(growth, key=growth.get)\nprint(f'{best}: {growth[best]:+.1%}')",
        printed: "Energy: +21.1%",
        cells: &[],
    },
    Instruction {
        book: "budget.xlsx",
        instruction: "Insert software at 300 a quarter above the sum",
        code: "from openpyxl import load_workbook\nwb = load_workbook('budget.xlsx')\nws = wb['2026']\nws.insert_rows(10)\n\
            ws['A10'] = 'Software'\nfor col in 'BCDE':\n    ws[f'{col}10'] = 300\nws['F10'] = '=SUM(B10:E10)'\n\
            for col in 'BCDEF':\n    ws[f'{col}11'] = f'=SUM({col}4:{col}10)'\nwb.save('budget.xlsx')\n\
            print(ws['A11'].value, ws['B11'].value)",
        printed: "Sum =SUM(B4:B10)",
        cells: &[
            ("2026", "A10", "Software"),
            ("2026", "B10", "300"),
            ("2026", "F11", "=SUM(F4:F10)"),
            ("2026", "A1", "Budget 2026, workshop"),
        ],
    },
    Instruction {
        book: "budget.xlsx",
        instruction: "Rename the sheet to Budget 2026",
        code: "import openpyxl\nwb = openpyxl.load_workbook('budget.xlsx')\nws = wb.worksheets[0]\nws.title = 'Budget 2026'\n\
            wb.save('budget.xlsx')\nprint(wb.sheetnames)",
        printed: "['Budget 2026', 'Notes']",
        cells: &[("Budget 2026", "F4", "=SUM(B4:E4)")],
    },
    Instruction {
        book: "budget.xlsx",
        instruction: "Draw the year's costs by category",
        code: "import matplotlib.pyplot as plt\nfrom openpyxl import load_workbook\n\
            ws = load_workbook('budget.xlsx')['2026']\nrows = list(ws.iter_rows(min_row=4, max_row=9, max_col=5, values_only=True))\n\
            plt.bar([r[0] for r in rows], [sum(r[1:]) for r in rows])\nplt.ylabel('\u{20ac}')\nplt.savefig('costs.png')\n\
            print('saved')",
        printed: "saved",
        cells: &[],
    },
    Instruction {
        book: "budget.xlsx",
        instruction: "What share of the whole is each category?",
        code: "from openpyxl import load_workbook\nws = load_workbook('budget.xlsx')['2026']\n\
            totals = {ws.cell(r, 1).value: sum(ws.cell(r, c).value for c in range(2, 6)) for r in range(4, 10)}\n\
            whole = sum(totals.values())\nfor name, total in sorted(totals.items(), key=lambda item: item[1], reverse=True):\n    \
            print(f'{name:<10} {total / whole:6.1%}')",
        printed: "Wages       54.1%\nParts       26.3%\nRent        10.2%\nMarketing    4.2%\nEnergy       3.7%\nInsurance    1.5%",
        cells: &[],
    },
    Instruction {
        book: "staff.xlsx",
        instruction: "Remove people who are in the list twice",
        code: "import openpyxl\nwb = openpyxl.load_workbook('staff.xlsx')\nws = wb['Staff']\nseen = set()\ndouble = []\n\
            for row in range(2, ws.max_row + 1):\n    mail = (ws.cell(row=row, column=2).value or '').strip().lower()\n    \
            if mail and mail in seen:\n        double.append(row)\n    seen.add(mail)\n\
            for row in reversed(double):\n    ws.delete_rows(row, 1)\nwb.save('staff.xlsx')\nprint(double, ws.max_row)",
        printed: "[7, 10] 9",
        cells: &[("Staff", "A7", "Piotr Nowak"), ("Staff", "A9", "Leo Sand"), ("Staff", "A10", "")],
    },
    Instruction {
        book: "staff.xlsx",
        instruction: "Clean up the e-mail addresses",
        code: "from openpyxl import load_workbook\nwb = load_workbook('staff.xlsx')\nws = wb.active\nchanged = 0\n\
            for (cell,) in ws.iter_rows(min_row=2, min_col=2, max_col=2):\n    if cell.value:\n        \
            clean = cell.value.strip().lower()\n        if clean != cell.value:\n            cell.value = clean\n            \
            changed += 1\nwb.save('staff.xlsx')\nprint(changed, 'addresses changed')",
        printed: "3 addresses changed",
        cells: &[
            ("Staff", "B3", "tom@velo.example"),
            ("Staff", "B6", "mia@velo.example"),
            ("Staff", "B11", ""),
        ],
    },
    Instruction {
        book: "staff.xlsx",
        instruction: "Write the teams with a capital letter",
        code: "import re\nfrom openpyxl import load_workbook\nwb = load_workbook('staff.xlsx')\nws = wb['Staff']\n\
            for row in range(2, ws.max_row + 1):\n    team = ws[f'C{row}'].value\n    \
            ws[f'C{row}'] = re.sub(r'^[a-z]', lambda m: m.group(0).upper(), team)\nwb.save('staff.xlsx')\n\
            print(sorted({ws[f'C{r}'].value for r in range(2, ws.max_row + 1)}, key=str.lower))",
        printed: "['Office', 'Shop', 'Workshop']",
        cells: &[("Staff", "C8", "Workshop")],
    },
    Instruction {
        book: "staff.xlsx",
        instruction: "What is the average salary of each team?",
        code: "from statistics import mean\nfrom itertools import groupby\nfrom openpyxl import load_workbook\n\
            ws = load_workbook('staff.xlsx')['Staff']\n\
            people = {row[0]: row for row in ws.iter_rows(min_row=2, values_only=True)}\n\
            rows = sorted(people.values(), key=lambda r: r[2].lower())\n\
            for team, members in groupby(rows, key=lambda r: r[2].lower()):\n    \
            print(team.title(), round(mean(float(m[4]) for m in members), 2))",
        printed: "Office 3750.0\nShop 2725.0\nWorkshop 2900.0",
        cells: &[],
    },
    Instruction {
        book: "staff.xlsx",
        instruction: "Who has been here for more than five years?",
        code: "from datetime import datetime\nfrom openpyxl import load_workbook\nws = load_workbook('staff.xlsx')['Staff']\n\
            now = datetime.now()\nold = []\nfor name, mail, team, hired, salary, hours in ws.iter_rows(min_row=2, values_only=True):\n    \
            if isinstance(hired, str):\n        hired = datetime.strptime(hired, '%Y-%m-%d')\n    \
            if (now - hired).days > 5 * 365.25 and name not in old:\n        old.append(name)\nprint(', '.join(old))",
        printed: "Ines Mar\u{ed}n, Tom Beck, Adaeze Obi, Piotr Nowak, Sara Olsen",
        cells: &[],
    },
    Instruction {
        book: "staff.xlsx",
        instruction: "Remove the old sheet",
        code: "import openpyxl\nwb = openpyxl.load_workbook('staff.xlsx')\nif 'Old 2019' in wb.sheetnames:\n    \
            del wb['Old 2019']\nwb.save('staff.xlsx')\nprint(wb.sheetnames)",
        printed: "['Staff', 'Teams']",
        cells: &[("Teams", "A2", "Workshop")],
    },
    Instruction {
        book: "staff.xlsx",
        instruction: "Add each person's room",
        code: "from openpyxl import load_workbook\nfrom openpyxl.styles import Font\nwb = load_workbook('staff.xlsx')\n\
            rooms = {team.lower(): room for team, lead, room in wb['Teams'].iter_rows(min_row=2, values_only=True)}\n\
            ws = wb['Staff']\nws['G1'] = 'Room'\nws['G1'].font = Font(bold=True)\n\
            for r in range(2, ws.max_row + 1):\n    ws.cell(row=r, column=7, value=rooms.get(ws.cell(row=r, column=3).value.lower(), '?'))\n\
            wb.save('staff.xlsx')\nprint(ws.cell(8, 7).value, next(r for r in range(2, 12) if ws.cell(r, 7).value == '1.04'))",
        printed: "0.12 4",
        cells: &[("Staff", "G1", "Room"), ("Staff", "G2", "0.12"), ("Staff", "G11", "0.12")],
    },
];

@echo off
rem Sets the program up from the folder "qiyi" beside this file, without a network, and opens the page to drop a file on.
setlocal
cd /d "%~dp0"
set "PYTHON="
where py >nul 2>nul && set "PYTHON=py -3"
if not defined PYTHON where python >nul 2>nul && set "PYTHON=python"
if not defined PYTHON goto missing
%PYTHON% qiyi\start.py desk %*
if errorlevel 1 pause
exit /b
:missing
echo Python is missing. See README.txt.
start "" notepad "%~dp0README.txt"
pause
exit /b 2
